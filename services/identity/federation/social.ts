import { type Email, normaliseEmail } from '@bailiwick/contract';
import { denied } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { AdmitRequest } from '@bailiwick/proto/gen/bailiwick/identity/v1/federation_pb.ts';
import { type Database, lockName, type Transaction } from '@bailiwick/store';
import type { PasswordPolicy } from '../passwords/policy.ts';
import { rowOf } from '../rows.ts';
import { UserEntity, type UserRow } from '../users/entities.ts';
import { settleEmail } from '../users/queries.ts';
import { recordUser } from '../users/records.ts';
import type { RegistrationRule } from '../users/registration.ts';
import {
  assertActive,
  assertIdentity,
  assertUnlinked,
  assertVerifiedAddress,
  createUser,
  findLinkedAccount,
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

export type SocialAdmitResult =
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
): Promise<SocialAdmitResult> {
  assertIdentity(request);
  const asserted = assertedEmail(request.email);
  const email = asserted && (await settleEmail(database, asserted));
  // Asked before the transaction, so that no connection waits for sso.
  const allowed = await allowedDomains({ database, passwordPolicy }, request, email, call);
  const row = rowOf.identity(request);
  return database.transaction({ call, tenant: request.tenant, row }, async (tx) => {
    await lockName(tx, row);
    await isUnconfirmed(tx, request);
    const linkedAccount = await findLinkedAccount(tx, request);
    const mayRegister = request.jit && registration === 'open';
    if (!linkedAccount) return admitNewcomer(tx, { request, email, mayRegister });
    const { user } = linkedAccount;
    assertActive(user);
    // The user or the address was changed during the check.
    if (!allowed.has(normaliseEmail(user.email).domain))
      throw denied('the account was changed during the sign-in', 'FLOW_UNKNOWN');
    await useIdentity(tx, request, user.id, { trust: 'confirmed', lapsed: false });
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
  call: Call,
): Promise<ReadonlySet<string>> {
  const linkedUser = await findAddressOf(database, request);
  const domains = new Set(
    [linkedUser && normaliseEmail(linkedUser.email).domain, email?.domain].filter(
      (domain) => domain !== undefined,
    ),
  );
  for (const domain of domains) {
    const policy = await passwordPolicy.of(domain, call);
    if (!(await passwordPolicy.admits(policy, linkedUser?.userId ?? '', call)))
      throw denied('the domain of the address requires single sign-on', 'SSO_REQUIRED');
  }
  return domains;
}

async function admitNewcomer(
  tx: Transaction,
  newcomer: { request: AdmitRequest; email: Email | undefined; mayRegister: boolean },
): Promise<SocialAdmitResult> {
  const { request, mayRegister } = newcomer;
  const email = assertVerifiedAddress(newcomer);
  await lockName(tx, rowOf.account(email.key));
  const existing = await tx.em.findOne(UserEntity, { emailKey: email.key }, { lockMode });
  if (existing) {
    assertActive(existing);
    await assertUnlinked(tx, request, existing);
    return { outcome: 'unlinked', linkToken: await storePendingLink(tx, request, existing) };
  }
  if (!mayRegister) throw denied('there is no account with this address', 'NO_ACCOUNT');
  const user = await createUser(tx, request, email, { trust: 'confirmed', unconfirmed: false });
  // An address that was verified once may belong to another person now. It joins tenants of its
  // domain only if the provider runs the mailbox, or after a mail has reached the user.
  if (user.mailboxProven) recordUser(tx, 'user.verified', user);
  return { user, outcome: 'created' };
}
