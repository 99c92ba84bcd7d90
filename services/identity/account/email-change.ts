import {
  addressChange,
  changedFields,
  createToken,
  type Email,
  normaliseEmail,
  timeAfter,
  tokenHash,
} from '@bailiwick/contract';
import { deadToken, denied, notFound, recentLoginRequired } from '@bailiwick/errors';
import { type KeyRing } from '@bailiwick/keys';
import { mailTask, noticeTask, type Task } from '@bailiwick/outbox';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { waiterOf } from '../passwords/imported-lane.ts';
import { rowOf } from '../rows.ts';
import { isRecent } from '../sessions/sign-in/queries.ts';
import { UserEntity, type UserRow, userJson } from '../users/entities.ts';
import { lockActive } from '../users/lock.ts';
import { settleEmail } from '../users/queries.ts';
import { recordAuditOnly, recordUser } from '../users/records.ts';
import { type AccountDeps, mayMail, requestedFrom } from './deps.ts';
import { EmailChangeEntity } from './entities.ts';
import {
  consumeEmailChange,
  findEmailChangeUser,
  voidEmailChanges,
  voidResetTokens,
} from './queries.ts';

const lifetimeMs = 24 * 60 * 60 * 1000;

/**
 * Changes the address of an account: the user verifies the new address first, then the old one gets
 * a notice.
 */
export function emailChangeHandlers(
  deps: AccountDeps,
): Pick<Handlers<typeof Account>, 'changeEmail'> {
  const { database, keyRing } = deps;
  return {
    async changeEmail({ email: text, password }, call) {
      const email = await settleEmail(database, normaliseEmail(text));
      const user = await database.transaction({ call, tenant: null }, (tx) =>
        tx.em.findOne(UserEntity, { id: call.caller.id }),
      );
      if (!user) throw notFound('user');
      await assertMayChangeAddress(deps, user.email, call);
      await assertOwner(deps, user, password, call);
      const mailing = await mayMail(deps, 'change', email.key, call);
      await database.transaction({ call, tenant: null, row: rowOf.user(user.id) }, async (tx) => {
        const holder = await tx.em.findOne(UserEntity, { emailKey: email.key });
        const mail = holder
          ? noticeTask('already_registered', holder.email, {
              locale: holder.locale,
              ...requestedFrom(call),
            })
          : await persistChange(tx, keyRing, { user, email }, call);
        const tasks = mailing ? [mail] : [];
        recordAuditOnly(tx, 'user.email_change_requested', email.address, tasks);
      });
      return {};
    },
  };
}

/**
 * An open session alone must not be enough to take over the account: it takes the password or,
 * without one, a recent sign-in. The attempt is counted in any case, because it mails an address of
 * the caller's choice.
 */
async function assertOwner(
  { database, passwords, throttle }: AccountDeps,
  { emailKey, passwordHash }: UserRow,
  password: string,
  call: Call,
): Promise<void> {
  const isOwner = await throttle.attempt(
    emailKey,
    call.caller.ip,
    async (_account, until) =>
      passwordHash === null ||
      (await passwords.verify(passwordHash, password, waiterOf(call, until))),
  );
  if (!isOwner) throw wrongPassword();
  if (passwordHash === null && !(await isRecent(database, call.caller.credentialId)))
    throw recentLoginRequired();
}

const wrongPassword = () => denied('Password is wrong', 'WRONG_PASSWORD');

/** Stores a change that replaces earlier ones, and returns the mail with its token. */
async function persistChange(
  tx: Transaction,
  keyRing: KeyRing,
  { user, email }: { user: UserRow; email: Email },
  call: Call,
): Promise<Task> {
  const locked = await lockActive(tx, user.id);
  // The password or address was changed during the check, so the check is no longer valid.
  if (!locked || locked.passwordHash !== user.passwordHash || locked.emailKey !== user.emailKey)
    throw wrongPassword();
  await voidEmailChanges(tx, user.id);
  const token = createToken('verify');
  const now = new Date();
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  tx.em.persist(
    tx.em.create(EmailChangeEntity, {
      tokenHash: tokenHash(token),
      userId: user.id,
      email: email.address,
      emailKey: email.key,
      createdAt: now,
      expiresAt,
    }),
  );
  return mailTask(
    'Account_Task_SendEmailVerification',
    keyRing,
    { Email: email.address, Token: token },
    {
      purpose: addressChange,
      locale: user.locale,
      expiresAt: expiresAt.toISOString(),
      ...requestedFrom(call),
    },
  );
}

/** Throws if an organisation manages the address: the account must not leave its control. */
export async function assertMayChangeAddress(
  { passwordPolicy }: Pick<AccountDeps, 'passwordPolicy'>,
  email: string,
  call: Call,
): Promise<void> {
  const { tenant } = await passwordPolicy.of(normaliseEmail(email).domain, call);
  if (tenant !== '')
    throw denied(
      'your organisation manages this address: it cannot be changed here',
      'ADDRESS_MANAGED',
    );
}

/**
 * Applies the change of address of a verification token and locks the user. Throws if the token has
 * none.
 */
export async function applyEmailChange(tx: Transaction, hash: Uint8Array): Promise<void> {
  const user = await lockActive(tx, (await findEmailChangeUser(tx, hash)) ?? '');
  const change = user && (await consumeEmailChange(tx, hash));
  if (!change || (await tx.em.findOne(UserEntity, { emailKey: change.email_key })))
    throw deadToken();
  const old = user.email;
  const before = userJson(user);
  user.email = change.email;
  user.emailKey = change.email_key;
  user.emailVerified = true;
  user.mailboxProven = true;
  user.updatedAt = timeAfter(user.updatedAt);
  // A reset mail on its way to the old address becomes void.
  await voidResetTokens(tx, user.id);
  const tasks = [noticeTask('address_changed', old, { locale: user.locale })];
  recordUser(tx, 'user.updated', user, {
    previous: changedFields(before, userJson(user)),
    tasks,
  });
}
