import { timeOf } from '@bailiwick/contract';
import { notFound } from '@bailiwick/errors';
import { record } from '@bailiwick/outbox';
import type { Handlers, Pager } from '@bailiwick/pipeline';
import type { Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import { operatorNotice, provenOperator } from '../operators/acts.ts';
import { rowOf } from '../rows.ts';
import { lockExisting } from '../users/lock.ts';
import { findUsers } from '../users/queries.ts';
import { providerTarget } from './admit.ts';
import { type ConfirmDeps, confirmIdentity } from './confirm.ts';
import { type IdentityRow, listIdentities, removeIdentity } from './identities/queries.ts';
import { isLimited } from './trust.ts';

type Deps = ConfirmDeps & { pager: Pager };

export function identitiesHandlers(
  deps: Deps,
): Pick<Handlers<typeof Users>, 'listIdentities' | 'confirmIdentity' | 'removeIdentity'> {
  const { database, pager } = deps;
  return {
    async listIdentities({ userId, page }, { operation }) {
      const binding = [operation.name, userId];
      const query = pager.read(page, binding);
      const [[user], rows] = await Promise.all([
        findUsers(database, [userId]),
        listIdentities(database, userId, query),
      ]);
      if (!user) throw notFound('user');
      const { items, nextCursor } = pager.cut(rows, query, binding, ({ provider }) => provider);
      return { page: { items: items.map(identityRecord), nextCursor } };
    },

    async confirmIdentity(request, call) {
      await confirmIdentity(deps, request, call);
      return {};
    },

    async removeIdentity({ userId, provider, reason }, call) {
      const operator = await provenOperator(database, userId, reason, call);
      await database.transaction({ call, tenant: null, row: rowOf.user(userId) }, async (tx) => {
        const user = await lockExisting(tx, userId);
        const tenant = await removeIdentity(tx, userId, provider);
        // Even without the link: the call that has removed it may not have replied yet.
        call.invalidates.add(`user:${userId}`);
        if (tenant === undefined) return;
        const targets = [
          { Type: 'user', ID: user.id, Name: user.email },
          providerTarget({ provider }),
        ];
        record(tx, {
          tenant,
          type: 'user.identity_removed',
          data: null,
          targets,
          ...operatorNotice(operator, 'identity_removed', user),
        });
      });
      return {};
    },
  };
}

const identityRecord = ({ createdAt, lastUsedAt, trust, lapsed, ...identity }: IdentityRow) => ({
  ...identity,
  limited: isLimited({ trust, lapsed }),
  createdAt: timeOf(createdAt),
  lastUsedAt: timeOf(lastUsedAt),
});
