import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { changedFields, timeAfter } from '@bailiwick/shared/changes.ts';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import { normaliseEmail } from '@bailiwick/shared/email.ts';
import { type EntityManager, lockName } from '@bailiwick/shared/orm.ts';
import type { KeyRing } from '@bailiwick/shared/seal.ts';
import { mailTask, noticeTask, type Task } from '@bailiwick/shared/tasks.ts';
import { createToken, tokenHash, tokenKind } from '@bailiwick/shared/tokens.ts';
import { LockMode } from '@mikro-orm/core';
import { endSessions } from '../sessions/queries.ts';
import { UserEntity, type UserRow, userJson } from '../users/entities.ts';
import { lockActive } from '../users/lock.ts';
import { type AccountDeps, mayMail } from './deps.ts';
import { ResetTokenEntity } from './entities.ts';
import { evenly } from './pace.ts';
import { assertNotMadeOf } from './password-rules.ts';
import {
  clearFailures,
  consumeResetToken,
  findResetUser,
  hasResetToken,
  voidEmailChanges,
  voidResetTokens,
} from './queries.ts';
import { deadToken, recordAuditOnly, recordUser } from './records.ts';

const lifetimeMs = 60 * 60 * 1000;

type Reset = Pick<Handlers<typeof Account>, 'requestPasswordReset' | 'resetPassword'>;

export function resetHandlers(deps: AccountDeps): Reset {
  const { database, passwords, keyRing } = deps;
  return {
    async requestPasswordReset({ email: text }, call) {
      const email = normaliseEmail(text);
      await evenly(async () => {
        const mailing = await mayMail(deps, 'reset', email.key);
        await database.transaction(null, async (em) => {
          // Of two at once the second voids the first's token. An unknown address is locked too: both wait alike.
          if (mailing) await lockName(em, `account ${email.key}`);
          // Locked: a token that is made while somebody disables the person would outlive that.
          const user = await em.findOne(
            UserEntity,
            { emailKey: email.key, status: 'active' },
            { lockMode: LockMode.PESSIMISTIC_WRITE },
          );
          recordAuditOnly(
            em,
            call,
            'user.password_reset_requested',
            email.address,
            user && mailing ? [await resetMail(em, keyRing, user)] : [],
          );
        });
      });
      return {};
    },

    async resetPassword({ token, password }, call) {
      if (tokenKind(token) !== 'reset') throw deadToken();
      const hash = tokenHash(token);
      const assertLive = async () => {
        if (!(await hasResetToken(database, hash))) throw deadToken();
      };
      // A hash is dear: nobody waits for one with a token that they have made up, nor gets one for a token that was used
      // while they waited. Whether a token lives tells nothing to who cannot guess one.
      await assertLive();
      const passwordHash = await passwords.hash(password, assertLive);
      await database.transaction(null, async (em) => {
        const user = await lockActive(em, (await findResetUser(em, hash)) ?? '');
        if (!user || !(await consumeResetToken(em, hash))) throw deadToken();
        await voidResetTokens(em, user.id);
        // Whoever knew the old password may have asked for a change of address, and would carry the account away yet.
        await voidEmailChanges(em, user.id);
        await endSessions(em, user.id);
        call.outdated.add(`user:${user.id}`);
        // A password that is refused rolls the token's use back: the person tries again with another one.
        assertNotMadeOf(user.email, password);
        await clearFailures(em, user.emailKey);
        const before = userJson(user);
        user.passwordHash = passwordHash;
        user.emailVerified = true;
        user.updatedAt = timeAfter(user.updatedAt);
        const tasks = [noticeTask('password_changed', user.email, { locale: user.locale })];
        recordUser(em, call, 'user.password_changed', user, {
          previous: changedFields(before, userJson(user)),
          tasks,
        });
      });
      return {};
    },
  };
}

/** Issues a reset token, voiding older ones, and returns the mail that carries it. */
export async function resetMail(em: EntityManager, keyRing: KeyRing, user: UserRow): Promise<Task> {
  const token = createToken('reset');
  const now = new Date();
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  await voidResetTokens(em, user.id);
  em.persist(
    em.create(ResetTokenEntity, {
      tokenHash: tokenHash(token),
      userId: user.id,
      emailKey: user.emailKey,
      createdAt: now,
      expiresAt,
    }),
  );
  const extra = { expiresAt: expiresAt.toISOString(), locale: user.locale };
  return mailTask(
    'Account_Task_SendPasswordReset',
    keyRing,
    { Email: user.email, Token: token },
    extra,
  );
}
