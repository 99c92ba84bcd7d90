import {
  changedFields,
  createToken,
  homeNetwork,
  normaliseEmail,
  timeAfter,
  tokenHash,
  tokenKind,
} from '@bailiwick/contract';
import { deadToken } from '@bailiwick/errors';
import { type KeyRing } from '@bailiwick/keys';
import { mailTask, noticeTask, type Task } from '@bailiwick/outbox';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { lockName, type Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { dropPasswordlessLinks } from '../federation/identities/queries.ts';
import { proveMailbox } from '../federation/mailbox.ts';
import { waitUntil } from '../passwords/lane.ts';
import { clearFailures, rememberNetwork } from '../passwords/queries.ts';
import { assertNotMadeOf } from '../passwords/rules.ts';
import { rowOf } from '../rows.ts';
import { endSessions } from '../sessions/queries.ts';
import { UserEntity, type UserRow, userJson } from '../users/entities.ts';
import { lockActive } from '../users/lock.ts';
import { settleEmail } from '../users/queries.ts';
import { recordAuditOnly, recordUser } from '../users/records.ts';
import { type AccountDeps, mayMail, requestedFrom } from './deps.ts';
import { ResetTokenEntity } from './entities.ts';
import {
  consumeResetToken,
  findResetUser,
  hasResetToken,
  voidEmailChanges,
  voidResetTokens,
} from './queries.ts';
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
        const mailing = await mayMail(deps, 'reset', email.key, call);
        return database.transaction(
          { call, tenant: null, row: rowOf.account(email.key) },
          async (tx) => {
            // The second of two concurrent requests voids the first's token. Unknown addresses are
            // locked too, so that both kinds wait alike.
            if (mailing) await lockName(tx, rowOf.account(email.key));
            // Locks the user: a token created while the user is being disabled would outlive that.
            const user = await tx.em.findOne(
              UserEntity,
              { emailKey: email.key, status: 'active' },
              { lockMode: LockMode.PESSIMISTIC_WRITE },
            );
            recordAuditOnly(
              tx,
              'user.password_reset_requested',
              email.address,
              user && mailing ? [await resetMail(tx, keyRing, user, call)] : [],
            );
            return user !== null;
          },
        );
      });
      return {};
    },

    async resetPassword({ token, password }, call) {
      if (tokenKind(token) !== 'reset') throw deadToken();
      const hash = tokenHash(token);
      const assertLive = async () => {
        if (!(await hasResetToken(database, hash))) throw deadToken();
      };
      // Hashing is expensive: a made-up token must not cause any, nor a token that is used up while
      // its call waits. The check reveals nothing to a caller who cannot guess a token.
      await assertLive();
      // Includes the hashing, so that one token causes one hash at a time.
      const until = waitUntil();
      await database.inTurn({ call, row: rowOf.resetTurn(token) }, async (call) => {
        const passwordHash = await passwords.hash(password, { beforehand: assertLive, until });
        await database.transaction({ call, tenant: null, row: rowOf.reset(token) }, (tx) =>
          replacePassword(tx, { hash, password, passwordHash }, call),
        );
      });
      return {};
    },
  };
}

type Replacement = { hash: Uint8Array; password: string; passwordHash: string };

/**
 * Consumes a reset token and sets the user's password. Throws if the token is void or the password
 * is refused.
 */
async function replacePassword(
  tx: Transaction,
  { hash, password, passwordHash }: Replacement,
  call: Call,
): Promise<void> {
  const user = await lockActive(tx, (await findResetUser(tx, hash)) ?? '');
  if (!user || !(await consumeResetToken(tx, hash))) throw deadToken();
  await voidResetTokens(tx, user.id);
  // An attacker with the old password may have requested a change of address, which would still
  // take over the account.
  await voidEmailChanges(tx, user.id);
  await endSessions(tx, user.id);
  // A social sign-in may have made the account, by an address that is not its user's any more. The
  // owner of the mailbox links it again.
  if (user.passwordHash === null) await dropPasswordlessLinks(tx, user.id);
  // A refused password rolls back, so that the user can use the token again with another one.
  assertNotMadeOf(user.email, password);
  await clearFailures(tx, user.emailKey);
  // Failures from unknown networks share one count, and an attack may go on. Making this network a
  // known one gives the user's next sign-in its own count.
  if (call.caller.ip !== '') await rememberNetwork(tx, user.emailKey, homeNetwork(call.caller.ip));
  const before = userJson(user);
  user.passwordHash = passwordHash;
  user.emailVerified = true;
  user.updatedAt = timeAfter(user.updatedAt);
  const tasks = [noticeTask('password_changed', user.email, { locale: user.locale })];
  recordUser(tx, 'user.password_changed', user, {
    previous: changedFields(before, userJson(user)),
    tasks,
  });
  await proveMailbox(tx, user);
}

/** Issues a reset token, voids older ones, and returns the mail with it. */
export async function resetMail(
  tx: Transaction,
  keyRing: KeyRing,
  user: UserRow,
  call: Call,
): Promise<Task> {
  const token = createToken('reset');
  const now = new Date();
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  await voidResetTokens(tx, user.id);
  tx.em.persist(
    tx.em.create(ResetTokenEntity, {
      tokenHash: tokenHash(token),
      userId: user.id,
      emailKey: user.emailKey,
      createdAt: now,
      expiresAt,
    }),
  );
  const extra = {
    expiresAt: expiresAt.toISOString(),
    locale: user.locale,
    ...requestedFrom(call),
  };
  return mailTask(
    'Account_Task_SendPasswordReset',
    keyRing,
    { Email: user.email, Token: token },
    extra,
  );
}
