import { createHash, timingSafeEqual } from 'node:crypto';
import {
  createToken,
  type Email,
  normaliseEmail,
  randomText,
  signInCode,
  tokenHash,
  tokenKind,
} from '@bailiwick/contract';
import {
  deadToken,
  failedPrecondition,
  type ServiceError,
  unauthenticated,
} from '@bailiwick/errors';
import { mailTask } from '@bailiwick/outbox';
import type { Call, Handlers } from '@bailiwick/pipeline';
import { countSignIn } from '@bailiwick/process';
import type {
  Account,
  AccountLoginWithCodeRequest,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { LockMode } from '@mikro-orm/core';
import { proveMailbox } from '../federation/mailbox.ts';
import { passwordNotAccepted } from '../passwords/policy.ts';
import { rowOf } from '../rows.ts';
import type { NewSession } from '../sessions/begin.ts';
import { ownSignIn } from '../sessions/entities.ts';
import { UserEntity } from '../users/entities.ts';
import { lockActive } from '../users/lock.ts';
import { findUsers, settleEmail } from '../users/queries.ts';
import { recordAuditOnly } from '../users/records.ts';
import { failure } from './authenticate.ts';
import { type AccountDeps, mayMail, requestedFrom } from './deps.ts';
import { MailedCodeEntity } from './entities.ts';
import { consumeMailedCode, countMailedTry } from './queries.ts';
import { createResponseFloor } from './response-floor.ts';
import { beginOrChallenge, type Challenge } from './second-factor.ts';

// Signing in with a code that is mailed to the address. The request token stays in the browser that
// asked, so a code that is read elsewhere, or that a person is talked into telling, is of no use
// without it.

const lifetimeMs = 10 * 60 * 1000;

/** 32 letters and digits that do not look alike: a code has 40 bits, and five tries. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const length = 8;

/** Includes the request token, which is not stored: the database does not suffice to guess codes. */
const codeHash = (code: string, request: string): Uint8Array =>
  createHash('sha256').update(`${code} ${request}`).digest();

/** The code as it was sent, however it was typed. */
const readCode = (typed: string): string =>
  typed.normalize('NFKC').replaceAll(/[\s-]/g, '').toUpperCase();

export function mailedCodeHandlers(
  deps: AccountDeps,
): Pick<Handlers<typeof Account>, 'requestCode' | 'loginWithCode' | 'signInOptions'> {
  const { database, passwordPolicy, emailCodes } = deps;
  const atFloor = createResponseFloor();
  const assertEnabled = () => {
    if (!emailCodes)
      throw failedPrecondition('sign-in by mailed code is switched off', 'CODES_OFF');
  };
  return {
    async signInOptions() {
      const { registration, passwordLength, appUrl, breachCheck } = deps;
      return { emailCode: emailCodes, registration, passwordLength, appUrl, breachCheck };
    },

    async requestCode({ email: text }, call) {
      assertEnabled();
      const email = await settleEmail(database, normaliseEmail(text));
      const policy = await passwordPolicy.of(email.domain, call);
      if (policy.tenant !== '' && !policy.lifted) throw passwordNotAccepted();
      const request = createToken('codeRequest');
      await atFloor(() => mailCode(deps, email, request, call));
      return { requestToken: request };
    },

    loginWithCode(request, call) {
      assertEnabled();
      return countSignIn('email_code', () => logIn(deps, request, call));
    },
  };
}

/** Mails a code for a request. Returns whether the address has an account. */
async function mailCode(
  deps: AccountDeps,
  email: Email,
  request: string,
  call: Call,
): Promise<boolean> {
  const mailing = await mayMail(deps, 'code', email.key, call);
  const code = randomText(alphabet, length);
  const now = new Date();
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  const row = `account ${email.key}`;
  return deps.database.transaction({ call, tenant: null, row }, async (tx) => {
    const user = await tx.em.findOne(
      UserEntity,
      { emailKey: email.key, status: 'active' },
      { lockMode: LockMode.PESSIMISTIC_READ },
    );
    const mails = user !== null && mailing;
    // Unknown addresses get a row too, which no code opens, so that both cost alike.
    tx.em.persist(
      tx.em.create(MailedCodeEntity, {
        requestHash: tokenHash(request),
        userId: mails ? user.id : '',
        emailKey: email.key,
        codeHash: codeHash(code, request),
        createdAt: now,
        expiresAt,
      }),
    );
    const task = mailTask(
      'Account_Task_SendEmailVerification',
      deps.keyRing,
      { Email: email.address, Token: code },
      {
        purpose: signInCode,
        locale: user?.locale ?? '',
        expiresAt: expiresAt.toISOString(),
        ...requestedFrom(call),
      },
    );
    recordAuditOnly(tx, 'user.code_requested', email.address, mails ? [task] : []);
    return user !== null;
  });
}

async function logIn(
  deps: AccountDeps,
  { requestToken: request, code }: AccountLoginWithCodeRequest,
  call: Call,
): Promise<NewSession | Challenge> {
  const { database, passwordPolicy } = deps;
  if (tokenKind(request) !== 'codeRequest') throw deadToken();
  const hash = tokenHash(request);
  const mailedCode = await countMailedTry(database, call, hash);
  if (!mailedCode) throw deadToken();
  const [user] = await findUsers(database, [mailedCode.user_id]);
  const refuse = (error: ServiceError) => failure(deps, error, call, mailedCode.email_key, user);
  if (
    !timingSafeEqual(mailedCode.code_hash, codeHash(readCode(code), request)) ||
    !user?.emailVerified
  )
    throw await refuse(unauthenticated('code is wrong'));
  if (!(await passwordPolicy.admitsUser(user, call))) throw await refuse(passwordNotAccepted());
  return database.transaction({ call, tenant: null, row: rowOf.user(user.id) }, async (tx) => {
    const locked = await lockActive(tx, user.id);
    // A code is void after a change of address.
    if (locked?.emailKey !== mailedCode.email_key || !(await consumeMailedCode(tx, hash)))
      throw deadToken();
    await proveMailbox(tx, locked);
    const from = ownSignIn(call, { authMethod: 'email_code', assurance: 'aal1' });
    return beginOrChallenge(tx, call, locked, from);
  });
}
