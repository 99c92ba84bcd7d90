import type { Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import { notFound } from '@bailiwick/shared/errors.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import { recordChange } from '@bailiwick/shared/outbox.ts';
import type { Pager } from '@bailiwick/shared/page.ts';
import { timeOf } from '@bailiwick/shared/times.ts';
import { lockExisting } from '../users/lock.ts';
import { findUsers } from '../users/queries.ts';
import { providerTarget } from './admit.ts';
import { type IdentityRow, listIdentities, removeIdentity } from './queries.ts';

type Deps = { database: Database; pager: Pager };

export function identitiesHandlers({
  database,
  pager,
}: Deps): Pick<Handlers<typeof Users>, 'listIdentities' | 'removeIdentity'> {
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

    async removeIdentity({ userId, provider }, call) {
      await database.transaction(null, async (em) => {
        const user = await lockExisting(em, userId);
        const tenant = await removeIdentity(em, userId, provider);
        if (tenant === undefined) return;
        call.outdated.add(`user:${userId}`);
        const targets = [
          { Type: 'user', ID: user.id, Name: user.email },
          providerTarget({ provider }),
        ];
        recordChange(em, call, { tenant, type: 'user.identity_removed', data: null, targets });
      });
      return {};
    },
  };
}

const identityRecord = ({ createdAt, lastUsedAt, ...identity }: IdentityRow) => ({
  ...identity,
  createdAt: timeOf(createdAt),
  lastUsedAt: timeOf(lastUsedAt),
});
