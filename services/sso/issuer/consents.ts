import type { Adapter } from 'oidc-provider';

// The consents that people gave to apps that need one. Each holds for a year, and for the scopes
// that they have seen.

const yearSeconds = 365 * 24 * 60 * 60;

export type Consents = ReturnType<typeof createConsents>;

export function createConsents(store: Adapter) {
  const keyOf = (userId: string, clientId: string) => `${userId} ${clientId}`;

  async function find(userId: string, clientId: string): Promise<string[]> {
    const { scope = '', exp = 0 } = (await store.find(keyOf(userId, clientId))) ?? {};
    return exp * 1000 > Date.now() ? scope.split(' ') : [];
  }

  return {
    find,
    async add(userId: string, clientId: string, scopes: readonly string[]): Promise<void> {
      const all = new Set([...(await find(userId, clientId)), ...scopes]);
      const exp = Math.floor(Date.now() / 1000) + yearSeconds;
      await store.upsert(keyOf(userId, clientId), { scope: [...all].join(' '), exp }, yearSeconds);
    },
  };
}
