import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import type { Call, Handlers } from '@bailiwick/shared/dispatch.ts';
import { normaliseEmail } from '@bailiwick/shared/email.ts';
import { createId } from '@bailiwick/shared/ids.ts';
import { type EntityManager, lockName } from '@bailiwick/shared/orm.ts';
import { mailTask, noticeTask, type Task } from '@bailiwick/shared/tasks.ts';
import { createToken, tokenHash, tokenKind } from '@bailiwick/shared/tokens.ts';
import { newUser, UserEntity, type UserRow } from '../users/entities.ts';
import { findUserByEmailKey } from '../users/queries.ts';
import { type AccountDeps, mayMail } from './deps.ts';
import { applyEmailChange, assertMayLeave } from './email-change.ts';
import { RegistrationEntity } from './entities.ts';
import { evenly } from './pace.ts';
import { consumeRegistration, consumeRivals, findLeaving, findNewestRegistration, findTokenAddress, renewRegistration } from './queries.ts';
import { deadToken, recordAuditOnly, recordUser } from './records.ts';
import { resetMail } from './reset.ts';

const lifetimeMs = 24 * 60 * 60 * 1000;

type Registration = Pick<Handlers<typeof Account>, 'register' | 'verify' | 'resendVerification'>;

/** Registration and verification: nothing here tells a stranger whether an address has an account. */
export function registrationHandlers(deps: AccountDeps): Registration {
  const { database, passwords, passwordRules, keyRing } = deps;

  return {
    async register({ email: text, password }, call) {
      const email = normaliseEmail(text);
      await passwordRules(password, email.address);
      // The same work for known and unknown addresses: one hash, one verification, one transaction, one mail.
      const rival = await findNewestRegistration(database, email.key);
      const sameAsRival = await passwords.verify(rival?.password_hash, password);
      const passwordHash = await passwords.hash(password);
      const userId = createId('usr');
      const now = new Date();
      const mailing = await mayMail(deps, 'registration', email.key);
      await database.transaction(null, async (em) => {
        const known = await em.findOne(UserEntity, { emailKey: email.key });
        if (known) return recordAlreadyRegistered(em, call, known, mailing);
        const token = createToken('verify');
        const expiresAt = new Date(now.getTime() + lifetimeMs);
        em.persist(
          em.create(RegistrationEntity, {
            userId,
            email: email.address,
            emailKey: email.key,
            passwordHash,
            passwordGroup: rival && sameAsRival ? rival.password_group : userId,
            tokenHash: tokenHash(token),
            createdAt: now,
            expiresAt,
          }),
        );
        const pending = { ...newUser(userId, email, passwordHash, now), status: 'pending', emailVerified: false };
        recordUser(em, call, 'user.registered', pending, { tasks: mailing ? [verificationMail(deps, email.address, token, expiresAt)] : [] });
      });
      return { userId };
    },

    async verify({ token }, call) {
      if (tokenKind(token) !== 'verify') throw deadToken();
      const hash = tokenHash(token);
      const leaving = await findLeaving(database, hash);
      if (leaving !== undefined) await assertMayLeave(deps, leaving);
      await database.transaction(null, async (em) => {
        // The lock comes first: two attempts of one address would otherwise each hold the row the other waits for.
        const address = await findTokenAddress(em, hash);
        if (address === undefined) throw deadToken();
        await lockName(em, `account ${address}`);
        const registration = await consumeRegistration(em, hash);
        if (!registration) return applyEmailChange(em, call, hash);
        if (await em.findOne(UserEntity, { emailKey: registration.email_key })) throw deadToken();
        const rivals = await consumeRivals(em, registration.email_key);
        // Somebody else may have registered this address with a password of theirs: then nobody's password counts.
        const disputed = rivals.some((rival) => rival.alive && rival.password_group !== registration.password_group);
        const email = { address: registration.email, key: registration.email_key };
        const user = newUser(registration.user_id, email, disputed ? null : registration.password_hash, new Date());
        em.persist(em.create(UserEntity, user));
        // The reset token goes by the user's row, so that has to be there first.
        await em.flush();
        recordUser(em, call, 'user.verified', user, { tasks: disputed ? [await resetMail(em, keyRing, user)] : [] });
      });
      return {};
    },

    async resendVerification({ email: text }, call) {
      const email = normaliseEmail(text);
      await evenly(async () => {
        const registration = await findNewestRegistration(database, email.key);
        const known = await findUserByEmailKey(database, email.key);
        const mailing = await mayMail(deps, 'registration', email.key);
        const token = createToken('verify');
        const expiresAt = new Date(Date.now() + lifetimeMs);
        await database.transaction(null, async (em) => {
          const renewed = mailing && registration && !known && (await renewRegistration(em, registration.user_id, tokenHash(token), expiresAt));
          recordAuditOnly(em, call, 'user.verification_resent', email.address, renewed ? [verificationMail(deps, registration.email, token, expiresAt)] : []);
        });
      });
      return {};
    },
  };
}

function verificationMail({ keyRing }: Pick<AccountDeps, 'keyRing'>, address: string, token: string, expiresAt: Date): Task {
  return mailTask('Account_Task_SendEmailVerification', keyRing, { Email: address, Token: token }, { expiresAt: expiresAt.toISOString() });
}

function recordAlreadyRegistered(em: EntityManager, call: Call, known: UserRow, mailing: boolean): void {
  recordAuditOnly(
    em,
    call,
    'user.registration_repeated',
    known.email,
    mailing ? [noticeTask('already_registered', known.email, { locale: known.locale })] : [],
  );
}
