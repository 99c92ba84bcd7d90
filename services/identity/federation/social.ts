import { type Email, normaliseEmail } from '@bailiwick/contract';
import { denied } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { AdmitRequest } from '@bailiwick/proto/gen/bailiwick/identity/v1/federation_pb.ts';
import { type Database, type EntityManager, lockName } from '@bailiwick/store';
import type { PasswordPolicy } from '../passwords/policy.ts';
import { UserEntity, type UserRow } from '../users/entities.ts';
import { settleEmail } from '../users/queries.ts';
import { recordUser } from '../users/records.ts';
import type { RegistrationRule } from '../users/registration.ts';
import {
  assertActive,
  assertIdentity,
  assertUnlinked,
  assertVouched,
  createUser,
  findKnown,
  identityName,
  lockMode,
} from './admit.ts';
import { assertedEmail } from './asserted.ts';
import { isUnconfirmed } from './confirmation/confirmation.ts';
import { storePendingLink } from './pending-links/pending-links.ts';
import { findAddressOf, useIdentity } from './queries.ts';

export type SocialDeps = {
  database: Database;
  passwordPolicy: PasswordPolicy;
  registration: RegistrationRule;
};

export type SocialAdmitted =
  | { user: UserRow; outcome: 'known' | 'created' }
  | { outcome: 'unlinked'; linkToken: string };

/**
 * The user of an identity at a provider of the platform. The address creates a user, and never
 * leads to an existing one: its user has to sign in first (pending-links).
 */
export async function admitSocial(
  { database, passwordPolicy, registration }: SocialDeps,
  request: AdmitRequest,
  call: Call,
): Promise<SocialAdmitted> {
  assertIdentity(request);
  const asserted = assertedEmail(request.email);
  const email = asserted && (await settleEmail(database, asserted));
  // Asked before the transaction, so that no connection waits for sso.
  const allowed = await allowedDomains({ database, passwordPolicy }, request, email);
  const name = identityName(request);
  return database.transaction({ tenant: request.tenant, row: name }, async (em) => {
    await lockName(em, name);
    await isUnconfirmed(em, request);
    const known = await findKnown(em, request);
    const mayRegister = request.jit && registration === 'open';
    if (!known) return admitNewcomer(em, { request, email, mayRegister }, call);
    const { user } = known;
    assertActive(user);
    // The user or the address was changed during the check.
    if (!allowed.has(normaliseEmail(user.email).domain))
      throw denied('the account was changed during the sign-in', 'FLOW_UNKNOWN');
    await useIdentity(em, request, user.id, { trust: 'confirmed', lapsed: false });
    return { user, outcome: 'known' };
  });
}

/**
 * The domains of the account's address and of the asserted one. Throws permission_denied if one of
 * them requires single sign-on.
 */
async function allowedDomains(
  { database, passwordPolicy }: Omit<SocialDeps, 'registration'>,
  request: AdmitRequest,
  email: Email | undefined,
): Promise<ReadonlySet<string>> {
  const known = await findAddressOf(database, request);
  const domains = new Set(
    [known && normaliseEmail(known.email).domain, email?.domain].filter(
      (domain) => domain !== undefined,
    ),
  );
  for (const domain of domains) {
    const policy = await passwordPolicy.of(domain);
    if (!(await passwordPolicy.admits(policy, known?.userId ?? '')))
      throw denied('the domain of the address requires single sign-on', 'SSO_REQUIRED');
  }
  return domains;
}

async function admitNewcomer(
  em: EntityManager,
  newcomer: { request: AdmitRequest; email: Email | undefined; mayRegister: boolean },
  call: Call,
): Promise<SocialAdmitted> {
  const { request, mayRegister } = newcomer;
  const email = assertVouched(newcomer);
  await lockName(em, `account ${email.key}`);
  const existing = await em.findOne(UserEntity, { emailKey: email.key }, { lockMode });
  if (existing) {
    assertActive(existing);
    await assertUnlinked(em, request, existing);
    return { outcome: 'unlinked', linkToken: await storePendingLink(em, request, existing) };
  }
  if (!mayRegister) throw denied('there is no account with this address', 'NO_ACCOUNT');
  const user = await createUser(
    em,
    request,
    email,
    { trust: 'confirmed', unconfirmed: false },
    call,
  );
  // An address that was verified once may belong to another person now. It joins tenants of its
  // domain only if the provider runs the mailbox, or after a mail has reached the user.
  if (user.mailboxProven) recordUser(em, call, 'user.verified', user);
  return { user, outcome: 'created' };
}
