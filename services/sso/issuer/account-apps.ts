import { timeOf } from '@bailiwick/contract';
import { record } from '@bailiwick/outbox';
import type { Handlers, Pager } from '@bailiwick/pipeline';
import type { AccountApps } from '@bailiwick/proto/gen/bailiwick/sso/v1/account_apps_pb.ts';
import type { Database } from '@bailiwick/store';
import { endSignIns } from '../app-sign-ins/end.ts';
import { listAppsOfUser, removeConsent, takeOfUse } from '../app-sign-ins/queries.ts';
import { findApp } from '../apps/queries.ts';

type Deps = { database: Database; pager: Pager };

/** The apps that the caller uses. */
export function accountAppsHandlers({ database, pager }: Deps): Handlers<typeof AccountApps> {
  return {
    async list({ page }, { caller, operation }) {
      const binding = [operation.name, caller.id];
      return pager.list(
        page,
        binding,
        (query) => listAppsOfUser(database, caller.id, query),
        ({ id, name, tenant, scopes, places, consentedAt, signedInAt }) => ({
          id,
          name,
          tenant,
          scopes: scopes ?? [],
          tenants: places ?? [],
          ...(consentedAt && { consentedAt: timeOf(consentedAt) }),
          ...(signedInAt && { signedInAt: timeOf(signedInAt) }),
        }),
      );
    },

    async delete({ id }, call) {
      const app = await findApp(database, id);
      // The answer does not tell whether an app of another tenant exists.
      if (!app) return {};
      const { tenant, name } = app;
      const userId = call.caller.id;
      const row = `use ${userId} ${id}`;
      // Even if nothing is left: the call that has withdrawn the access may not have replied yet.
      call.invalidates.add(`use:${userId}:${id}`);
      await database.transaction({ call, tenant: null, row }, async (tx) => {
        const use = { tenant, app: id, userId };
        const hadConsent = await removeConsent(tx, use);
        const signIns = await takeOfUse(tx, use);
        if (!hadConsent && signIns.length === 0) return;
        await endSignIns(tx, signIns);
        record(tx, {
          tenant,
          type: 'oauth_app.access_withdrawn',
          data: null,
          targets: [
            { Type: 'oauth_app', ID: id, Name: name },
            { Type: 'user', ID: userId, Name: '' },
          ],
        });
      });
      return {};
    },
  };
}
