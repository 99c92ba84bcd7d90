import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { changedFields, timeAfter } from '@bailiwick/shared/changes.ts';
import type { Call, Handlers } from '@bailiwick/shared/dispatch.ts';
import { normaliseEmail } from '@bailiwick/shared/email.ts';
import { deadToken, denied, notFound, recentLoginRequired } from '@bailiwick/shared/errors.ts';
import type { EntityManager } from '@bailiwick/shared/orm.ts';
import { addressChange, mailTask, noticeTask } from '@bailiwick/shared/tasks.ts';
import { createToken, tokenHash } from '@bailiwick/shared/tokens.ts';
import { isRecent } from '../sessions/queries.ts';
import { UserEntity, userJson } from '../users/entities.ts';
import { lockActive } from '../users/lock.ts';
import { settleEmail } from '../users/queries.ts';
import { type AccountDeps, mayMail } from './deps.ts';
import { EmailChangeEntity } from './entities.ts';
import {
  consumeEmailChange,
  findEmailChangeUser,
  voidEmailChanges,
  voidResetTokens,
} from './queries.ts';
import { recordAuditOnly, recordUser } from './records.ts';

const lifetimeMs = 24 * 60 * 60 * 1000;

/** A change of address: proved at the new address first, told to the old one afterwards. */
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
      await assertMayLeave(deps, user.email);
      // A session that was left open somewhere must not be enough to carry the account away: who has no password has to have
      // signed in just now. That is counted all the same: it mails whomever the caller names.
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
        // Given another password or address while this was being checked: what was proved is not true any more.
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

/** Throws where an organisation answers for an address: the account is not carried out of its reach. */
export async function assertMayLeave(
  { passwordPolicy }: Pick<AccountDeps, 'passwordPolicy'>,
  email: string,
): Promise<void> {
  const { tenant } = await passwordPolicy.of(normaliseEmail(email).domain);
  if (tenant !== '')
    throw denied(
      'your organisation answers for this address: it cannot be changed here',
      'SSO_REQUIRED',
    );
}

/** Carries out the change of address that a verification token stands for, its address locked. Throws where it stands for none. */
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
  // What is remembered of the person names the old address.
  call.outdated.add(`user:${user.id}`);
  user.updatedAt = timeAfter(user.updatedAt);
  // A reset mail on its way to the old address is worth nothing any more.
  await voidResetTokens(em, user.id);
  const tasks = [noticeTask('address_changed', old, { locale: user.locale })];
  recordUser(em, call, 'user.updated', user, {
    previous: changedFields(before, userJson(user)),
    tasks,
  });
}
