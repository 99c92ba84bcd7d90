import { changedFields, timeAfter } from '@bailiwick/contract';
import { denied, notFound } from '@bailiwick/errors';
import { noticeTask } from '@bailiwick/outbox';
import type { Handlers } from '@bailiwick/pipeline';
import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { carryMark } from '../federation/queries.ts';
import { waiterOf } from '../passwords/imported-lane.ts';
import { waitUntil } from '../passwords/lane.ts';
import { assertNotMadeOf } from '../passwords/rules.ts';
import { rowOf } from '../rows.ts';
import { endOtherSessions } from '../sessions/queries.ts';
import { UserEntity, userJson, userRecord } from '../users/entities.ts';
import { applyTo } from '../users/fields.ts';
import { lockActive } from '../users/lock.ts';
import { recordUser } from '../users/records.ts';
import type { AccountDeps } from './deps.ts';
import { voidEmailChanges, voidResetTokens } from './queries.ts';

type Profile = Pick<Handlers<typeof Account>, 'update' | 'changePassword'>;

export function profileHandlers({ database, passwords, throttle }: AccountDeps): Profile {
  return {
    async update({ user: change }, call) {
      return database.transaction(
        { call, tenant: null, row: rowOf.user(call.caller.id) },
        async (tx) => {
          const user = await lockActive(tx, call.caller.id);
          if (!user) throw notFound('user');
          const before = userJson(user);
          if (change) applyTo(user, change, call);
          // Even if nothing changes: another call with the same values may not have replied yet.
          call.invalidates.add(`user:${user.id}`);
          const previous = changedFields(before, userJson(user));
          if (Object.keys(previous).length > 0) {
            user.updatedAt = timeAfter(user.updatedAt);
            recordUser(tx, 'user.updated', user, { previous });
          }
          return { user: userRecord(user) };
        },
      );
    },

    async changePassword({ current, password }, call) {
      const stored = await database.transaction({ call, tenant: null }, (tx) =>
        tx.em.findOne(UserEntity, { id: call.caller.id }),
      );
      if (!stored) throw notFound('user');
      assertNotMadeOf(stored.email, password);
      const limit = waitUntil();
      const holds = await throttle.attempt(stored.emailKey, call.caller.ip, (_account, until) =>
        passwords.verify(stored.passwordHash, current, waiterOf(call, until)),
      );
      if (!holds) throw denied('Current is wrong', 'WRONG_PASSWORD');
      const passwordHash = await passwords.hash(password, { until: limit });
      await database.transaction({ call, tenant: null, row: rowOf.user(stored.id) }, async (tx) => {
        const user = await lockActive(tx, stored.id);
        // The password was changed during the check, so the check is no longer valid.
        if (!user || user.passwordHash !== stored.passwordHash)
          throw denied('Current is wrong', 'WRONG_PASSWORD');
        await carryMark(tx, user.id, user.passwordHash, passwordHash);
        user.passwordHash = passwordHash;
        user.updatedAt = timeAfter(user.updatedAt);
        // An attacker who reads the user's mail may have requested them.
        await voidResetTokens(tx, user.id);
        await voidEmailChanges(tx, user.id);
        await endOtherSessions(tx, user.id, call.caller.credentialId);
        recordUser(tx, 'user.password_changed', user, {
          tasks: [noticeTask('password_changed', user.email, { locale: user.locale })],
        });
      });
      return {};
    },
  };
}
