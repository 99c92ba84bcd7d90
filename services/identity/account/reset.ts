import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { changedFields, timeAfter } from '@bailiwick/shared/changes.ts';
import type { Call, Handlers } from '@bailiwick/shared/dispatch.ts';
import { normaliseEmail } from '@bailiwick/shared/email.ts';
import { deadToken } from '@bailiwick/shared/errors.ts';
import { homeNetwork } from '@bailiwick/shared/limits.ts';
import { type EntityManager, lockName } from '@bailiwick/shared/orm.ts';
import type { KeyRing } from '@bailiwick/shared/seal.ts';
import { mailTask, noticeTask, type Task } from '@bailiwick/shared/tasks.ts';
import { createToken, tokenHash, tokenKind } from '@bailiwick/shared/tokens.ts';
import { LockMode } from '@mikro-orm/core';
import { endSessions } from '../sessions/queries.ts';
import { UserEntity, type UserRow, userJson } from '../users/entities.ts';
import { lockActive } from '../users/lock.ts';
import { settleEmail } from '../users/queries.ts';
import { type AccountDeps, mayMail } from './deps.ts';
import { ResetTokenEntity } from './entities.ts';
import { assertNotMadeOf } from './password-rules.ts';
import {
  clearFailures,
  consumeResetToken,
  findResetUser,
  hasResetToken,
  recordSuccess,
  voidEmailChanges,
  voidResetTokens,
} from './queries.ts';
import { recordAuditOnly, recordUser } from './records.ts';
import { createResponseFloor } from './response-floor.ts';

const lifetimeMs = 60 * 60 * 1000;

type Reset = Pick<Handlers<typeof Account>, 'requestPasswordReset' | 'resetPassword'>;

export function resetHandlers(deps: AccountDeps): Reset {
  const { database, passwords, keyRing } = deps;
  const atFloor = createResponseFloor();
  return {
    async requestPasswordReset({ email: text }, call) {
      const email = await settleEmail(database, normaliseEmail(text));
      await atFloor(async () => {
        const mailing = await mayMail(deps, 'reset', email.key);
        return database.transaction({ tenant: null, row: `account ${email.key}` }, async (em) => {
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
          return user !== null;
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
      // Hashing included, so that one token gets one hash at a time.
      await database.inTurn(`reset token ${token}`, async () => {
        const passwordHash = await passwords.hash(password, assertLive);
        await database.transaction({ tenant: null, row: `reset ${token}` }, (em) =>
          replacePassword(em, { hash, password, passwordHash }, call),
        );
      });
      return {};
    },
  };
}

type Replacement = { hash: Uint8Array; password: string; passwordHash: string };

/** Consumes a reset token and replaces the password of its user. Throws where the token is dead or the password is refused. */
async function replacePassword(
  em: EntityManager,
  { hash, password, passwordHash }: Replacement,
  call: Call,
): Promise<void> {
  const user = await lockActive(em, (await findResetUser(em, hash)) ?? '');
  if (!user || !(await consumeResetToken(em, hash))) throw deadToken();
  await voidResetTokens(em, user.id);
  // A thief of the old password may have requested a change of address, which would still take the account away.
  await voidEmailChanges(em, user.id);
  await endSessions(em, user.id);
  call.outdated.add(`user:${user.id}`);
  // A password that is refused rolls the token's use back: the person tries again with another one.
  assertNotMadeOf(user.email, password);
  await clearFailures(em, user.emailKey);
  // Guesses from unknown networks count together and may go on: the person signs in next from this network, which counts apart.
  if (call.caller.ip !== '') await recordSuccess(em, user.emailKey, homeNetwork(call.caller.ip));
  const before = userJson(user);
  user.passwordHash = passwordHash;
  user.emailVerified = true;
  user.updatedAt = timeAfter(user.updatedAt);
  const tasks = [noticeTask('password_changed', user.email, { locale: user.locale })];
  recordUser(em, call, 'user.password_changed', user, {
    previous: changedFields(before, userJson(user)),
    tasks,
  });
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
