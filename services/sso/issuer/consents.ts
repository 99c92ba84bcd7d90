import type { Database } from '@bailiwick/store';
import { addConsent, findConsent, removeConsent } from '../app-sign-ins/queries.ts';
import { appOf } from './clients.ts';
import { byIssuer } from './request.ts';

// The consents that people gave to apps that need one. Each holds for a year, and for the scopes
// that they have seen.

export type Consents = ReturnType<typeof createConsents>;

type App = { clientId: string };

export function createConsents(database: Database) {
  const useOf = (userId: string, client: App) => ({
    tenant: appOf(client).tenant,
    app: client.clientId,
    userId,
  });
  return {
    find: (userId: string, client: App): Promise<string[]> =>
      findConsent(database, useOf(userId, client)),
    add: (userId: string, client: App, scopes: readonly string[]): Promise<void> =>
      addConsent(database, byIssuer, useOf(userId, client), scopes),
    remove: async (userId: string, client: App): Promise<void> => {
      const use = useOf(userId, client);
      await database.transaction({ call: byIssuer, tenant: use.tenant }, (tx) =>
        removeConsent(tx, use),
      );
    },
  };
}
