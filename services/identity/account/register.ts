import {
  createId,
  createToken,
  type Email,
  normaliseEmail,
  tokenHash,
  tokenKind,
} from '@bailiwick/contract';
import { deadToken } from '@bailiwick/errors';
import { mailTask, noticeTask, type Task } from '@bailiwick/outbox';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { lockName, onPool, type Transaction } from '@bailiwick/store';
import { waitUntil } from '../passwords/lane.ts';
import { rowOf } from '../rows.ts';
import { newUser, UserEntity, type UserRow } from '../users/entities.ts';
import { consumeRivals, findUserByEmailKey, settleEmail } from '../users/queries.ts';
import { recordAuditOnly, recordUser } from '../users/records.ts';
import { assertMayRegister } from '../users/registration.ts';
import { type AccountDeps, mayMail, requestedFrom } from './deps.ts';
import { applyEmailChange, assertMayChangeAddress } from './email-change.ts';
import { RegistrationEntity } from './entities.ts';
import { provesAddress } from './invited.ts';
import {
  consumeRegistration,
  findCurrentAddress,
  findNewestRegistration,
  findTokenAddress,
  type PendingRegistration,
  renewRegistration,
} from './queries.ts';
import { resetMail } from './reset.ts';
import { createResponseFloor } from './response-floor.ts';

const lifetimeMs = 24 * 60 * 60 * 1000;

type Registration = Pick<Handlers<typeof Account>, 'register' | 'verify' | 'resendVerification'>;

type Attempt = {
  userId: string;
  email: Email;
  password: string;
  passwordHash: string;
  /** '' = none. */
  locale: string;
  mailing: boolean;
};

/** Registration and verification. Responses never reveal whether an address has an account. */
export function registrationHandlers(deps: AccountDeps): Registration {
  const { database, passwords } = deps;
  const atFloor = createResponseFloor();

  return {
    async register(request, call) {
      const { password, locale } = request;
      const email = await settleEmail(database, normaliseEmail(request.email));
      const isProven = await provesAddress(deps, email, request, call);
      assertMayRegister(deps.registration, isProven);
      // The same work for known and unknown addresses: one hash, one comparison, one transaction,
      // one mail.
      const userId = createId('usr');
      const until = waitUntil();
      // One at a time for an address, before the hash: many at once would hash for longer than their
      // callers wait, and compare again and again.
      await database.inTurn({ call, row: rowOf.registration(email.key) }, async (call) => {
        const attempt = {
          userId,
          email,
          password,
          passwordHash: await passwords.hash(password, { until }),
          locale,
          mailing: await mayMail(deps, 'registration', email.key, call),
        };
        if (isProven) return addProven(deps, attempt, call);
        let tries = 1;
        while (!(await addAttempt(deps, attempt, tries === 3, call))) tries++;
      });
      return { userId };
    },

    async verify({ token }, call) {
      if (tokenKind(token) !== 'verify') throw deadToken();
      const hash = tokenHash(token);
      const currentAddress = await findCurrentAddress(database, hash);
      if (currentAddress !== undefined) await assertMayChangeAddress(deps, currentAddress, call);
      const address = await findTokenAddress(database, hash);
      if (address === undefined) throw deadToken();
      await database.transaction(
        { call, tenant: null, row: rowOf.account(address) },
        async (tx) => {
          // Taken first: two attempts of one address would otherwise deadlock on each other's rows.
          await lockName(tx, rowOf.account(address));
          const registration = await consumeRegistration(tx, hash);
          await (registration
            ? createVerified(tx, deps, registration, call)
            : applyEmailChange(tx, hash));
        },
      );
      return {};
    },

    async resendVerification({ email: text }, call) {
      const email = await settleEmail(database, normaliseEmail(text));
      await atFloor(() => renewVerification(deps, email, call));
      return {};
    },
  };
}

/**
 * Stores an attempt to register, and whether its password equals the previous attempt's. Returns
 * false if another attempt was stored meanwhile: the caller compares again, unless this is the
 * `last` try. An attempt that was not compared counts as a different password.
 */
async function addAttempt(
  deps: AccountDeps,
  { userId, email, password, passwordHash, locale, mailing }: Attempt,
  last: boolean,
  call: Call,
): Promise<boolean> {
  const { database, passwords } = deps;
  const rival = await findNewestRegistration(onPool(database), email.key);
  const sameAsRival = await passwords.verify(rival?.password_hash, password);
  const now = new Date();
  return database.transaction({ call, tenant: null, row: rowOf.account(email.key) }, async (tx) => {
    await lockName(tx, rowOf.account(email.key));
    const existing = await tx.em.findOne(UserEntity, { emailKey: email.key });
    if (existing) {
      recordAlreadyRegistered(tx, call, existing, mailing);
      return true;
    }
    const newest = await findNewestRegistration(tx.query, email.key);
    const isCompared = newest?.user_id === rival?.user_id;
    if (!isCompared && !last) return false;
    const token = createToken('verify');
    const expiresAt = new Date(now.getTime() + lifetimeMs);
    tx.em.persist(
      tx.em.create(RegistrationEntity, {
        userId,
        email: email.address,
        emailKey: email.key,
        passwordHash,
        passwordGroup: rival && isCompared && sameAsRival ? rival.password_group : userId,
        tokenHash: tokenHash(token),
        locale,
        createdAt: now,
        expiresAt,
      }),
    );
    const pending = {
      ...newUser(userId, email, passwordHash, now),
      locale,
      status: 'pending',
      emailVerified: false,
    };
    recordUser(tx, 'user.registered', pending, {
      tasks: mailing
        ? [verificationMail(deps, { email: email.address, locale, token, expiresAt }, call)]
        : [],
    });
    return true;
  });
}

/**
 * Creates the user of an address that the link of an invitation has proven. No pending registration
 * of it counts. An address with an account gets the notice.
 */
function addProven(
  { database }: AccountDeps,
  { userId, email, passwordHash, locale, mailing }: Attempt,
  call: Call,
): Promise<void> {
  return database.transaction({ call, tenant: null, row: rowOf.account(email.key) }, async (tx) => {
    await lockName(tx, rowOf.account(email.key));
    const existing = await tx.em.findOne(UserEntity, { emailKey: email.key });
    if (existing) return recordAlreadyRegistered(tx, call, existing, mailing);
    await consumeRivals(tx, [email.key]);
    const user = { ...newUser(userId, email, passwordHash, new Date()), locale };
    tx.em.persist(tx.em.create(UserEntity, user));
    recordUser(tx, 'user.registered', user);
    recordUser(tx, 'user.verified', user);
  });
}

/** Turns a verified registration into a user. Throws if the address has an account meanwhile. */
async function createVerified(
  tx: Transaction,
  { keyRing }: Pick<AccountDeps, 'keyRing'>,
  registration: PendingRegistration,
  call: Call,
): Promise<void> {
  if (await tx.em.findOne(UserEntity, { emailKey: registration.email_key })) throw deadToken();
  const rivals = await consumeRivals(tx, [registration.email_key]);
  // Another person may have registered this address with another password. Then no password
  // counts.
  const disputed = rivals.some(
    (rival) => rival.alive && rival.password_group !== registration.password_group,
  );
  const email = { address: registration.email, key: registration.email_key };
  const passwordHash = disputed ? null : registration.password_hash;
  const { user_id: userId, locale } = registration;
  const user = { ...newUser(userId, email, passwordHash, new Date()), locale };
  tx.em.persist(tx.em.create(UserEntity, user));
  // The reset token refers to the user's row, so that row must exist first.
  await tx.em.flush();
  recordUser(tx, 'user.verified', user, {
    tasks: disputed ? [await resetMail(tx, keyRing, user, call)] : [],
  });
}

/** Mails a new token for a pending registration. Returns whether the address has one. */
async function renewVerification(deps: AccountDeps, email: Email, call: Call): Promise<boolean> {
  const { database } = deps;
  const registration = await findNewestRegistration(onPool(database), email.key);
  const existing = await findUserByEmailKey(onPool(database), email.key);
  const mailing = await mayMail(deps, 'registration', email.key, call);
  const token = createToken('verify');
  const expiresAt = new Date(Date.now() + lifetimeMs);
  return database.transaction({ call, tenant: null, row: rowOf.account(email.key) }, async (tx) => {
    const renewed =
      mailing &&
      registration &&
      !existing &&
      (await renewRegistration(tx, registration.user_id, tokenHash(token), expiresAt));
    recordAuditOnly(
      tx,
      'user.verification_resent',
      email.address,
      renewed ? [verificationMail(deps, { ...registration, token, expiresAt }, call)] : [],
    );
    return Boolean(renewed);
  });
}

type Verification = { email: string; locale: string; token: string; expiresAt: Date };

function verificationMail(
  { keyRing }: Pick<AccountDeps, 'keyRing'>,
  { email, locale, token, expiresAt }: Verification,
  call: Call,
): Task {
  return mailTask(
    'Account_Task_SendEmailVerification',
    keyRing,
    { Email: email, Token: token },
    { locale, expiresAt: expiresAt.toISOString(), ...requestedFrom(call) },
  );
}

function recordAlreadyRegistered(
  tx: Transaction,
  call: Call,
  user: UserRow,
  mailing: boolean,
): void {
  recordAuditOnly(
    tx,
    'user.registration_repeated',
    user.email,
    mailing
      ? [
          noticeTask('already_registered', user.email, {
            locale: user.locale,
            ...requestedFrom(call),
          }),
        ]
      : [],
  );
}
