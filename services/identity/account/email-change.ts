import { type EntityManager } from '@bailiwick/database';
import { deadToken, denied, notFound, recentLoginRequired } from '@bailiwick/errors';
import { addressChange, mailTask, noticeTask } from '@bailiwick/events';
import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { type Call, type Handlers } from '@bailiwick/rpc';
import {
  changedFields,
  createToken,
  normaliseEmail,
  timeAfter,
  tokenHash,
} from '@bailiwick/values';
import { isRecent } from '../sessions/queries.ts';
import { UserEntity, userJson } from '../users/entities.ts';
import { lockActive } from '../users/lock.ts';
import { settleEmail } from '../users/queries.ts';
import { recordAuditOnly, recordUser } from '../users/records.ts';
import { type AccountDeps, mayMail } from './deps.ts';
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
  const { database, passwords, throttle, keyRing } = deps;
  return {
    async changeEmail({ email: text, password }, call) {
      const email = await settleEmail(database, normaliseEmail(text));
      const user = await database.transaction(null, (em) =>
        em.findOne(UserEntity, { id: call.caller.id }),
      );
      if (!user) throw notFound('user');
      await assertMayChangeAddress(deps, user.email);
      // An open session alone must not be enough to take over the account: it takes the password
      // or, without one, a recent sign-in. The attempt is counted in any case, because it mails an
      // address of the caller's choice.
      const isOwner = await throttle.attempt(
        user.emailKey,
        call.caller.ip,
        async () =>
          user.passwordHash === null || (await passwords.verify(user.passwordHash, password)),
      );
      if (!isOwner) throw denied('Password is wrong', 'WRONG_PASSWORD');
      if (user.passwordHash === null && !(await isRecent(database, call.caller.credentialId)))
        throw recentLoginRequired();
      const mailing = await mayMail(deps, 'change', email.key);
      const token = createToken('verify');
      const now = new Date();
      const expiresAt = new Date(now.getTime() + lifetimeMs);
      await database.transaction({ tenant: null, row: `user ${user.id}` }, async (em) => {
        const taken = await em.findOne(UserEntity, { emailKey: email.key });
        if (taken)
          return recordAuditOnly(
            em,
            call,
            'user.email_change_requested',
            email.address,
            mailing
              ? [noticeTask('already_registered', taken.email, { locale: taken.locale })]
              : [],
          );
        const locked = await lockActive(em, user.id);
        // The password or address was changed during the check, so the check is no longer valid.
        if (
          !locked ||
          locked.passwordHash !== user.passwordHash ||
          locked.emailKey !== user.emailKey
        )
          throw denied('Password is wrong', 'WRONG_PASSWORD');
        await voidEmailChanges(em, user.id);
        const change = {
          tokenHash: tokenHash(token),
          userId: user.id,
          email: email.address,
          emailKey: email.key,
          createdAt: now,
          expiresAt,
        };
        em.persist(em.create(EmailChangeEntity, change));
        const extra = {
          purpose: addressChange,
          locale: user.locale,
          expiresAt: expiresAt.toISOString(),
        };
        const mail = mailTask(
          'Account_Task_SendEmailVerification',
          keyRing,
          { Email: email.address, Token: token },
          extra,
        );
        recordAuditOnly(
          em,
          call,
          'user.email_change_requested',
          email.address,
          mailing ? [mail] : [],
        );
      });
      return {};
    },
  };
}

/** Throws if an organisation manages the address: the account must not leave its control. */
export async function assertMayChangeAddress(
  { passwordPolicy }: Pick<AccountDeps, 'passwordPolicy'>,
  email: string,
): Promise<void> {
  const { tenant } = await passwordPolicy.of(normaliseEmail(email).domain);
  if (tenant !== '')
    throw denied(
      'your organisation manages this address: it cannot be changed here',
      'SSO_REQUIRED',
    );
}

/**
 * Applies the change of address of a verification token and locks the user. Throws if the token has
 * none.
 */
export async function applyEmailChange(
  em: EntityManager,
  call: Call,
  hash: Uint8Array,
): Promise<void> {
  const user = await lockActive(em, (await findEmailChangeUser(em, hash)) ?? '');
  const change = user && (await consumeEmailChange(em, hash));
  if (!change || (await em.findOne(UserEntity, { emailKey: change.email_key }))) throw deadToken();
  const old = user.email;
  const before = userJson(user);
  user.email = change.email;
  user.emailKey = change.email_key;
  user.emailVerified = true;
  // Gateways cache the old address with the user.
  call.invalidates.add(`user:${user.id}`);
  user.updatedAt = timeAfter(user.updatedAt);
  // A reset mail on its way to the old address becomes void.
  await voidResetTokens(em, user.id);
  const tasks = [noticeTask('address_changed', old, { locale: user.locale })];
  recordUser(em, call, 'user.updated', user, {
    previous: changedFields(before, userJson(user)),
    tasks,
  });
}
