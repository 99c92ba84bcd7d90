import { createId, type Email, normaliseEmail, type Origin } from '@bailiwick/contract';
import { denied } from '@bailiwick/errors';
import { noticeTask, record, recordRevocation } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { AdmitRequest } from '@bailiwick/proto/gen/bailiwick/identity/v1/federation_pb.ts';
import { type Database, lockName, type Transaction } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { LockMode } from '@mikro-orm/core';
import { hasPasskey } from '../passkeys/queries.ts';
import { rowOf } from '../rows.ts';
import { newUser, UserEntity, type UserRow } from '../users/entities.ts';
import { consumeRivals, settleEmail } from '../users/queries.ts';
import { recordUser } from '../users/records.ts';
import { assertedEmail, assertedProfile, isIdentity } from './asserted.ts';
import { isUnconfirmed } from './confirmation/confirmation.ts';
import { IdentityLinkEntity } from './entities.ts';
import { proveMailbox } from './mailbox.ts';
import {
  findLinkedUser,
  findUndecided,
  hasIdentityElsewhere,
  holdIdentityAt,
  lockIdentity,
  type ProvidersIdentity,
  useIdentity,
} from './queries.ts';
import { isLimited, type LinkTrust, markOf, type Trust } from './trust.ts';

export type AdmitDeps = {
  database: Database;
  authority: Pick<PeerClient<typeof Authority>, 'isKnownElsewhere'>;
};

export type AdmitResult = { user: UserRow; outcome: 'known' | 'linked' | 'created' };

export const lockMode = LockMode.PESSIMISTIC_WRITE;

/**
 * The user of an identity. Provider, issuer and subject identify a person. The address only decides
 * which account a new identity is linked to, and only inside the tenant's verified domains.
 */
export async function admit(
  { database, authority }: AdmitDeps,
  request: AdmitRequest,
  call: Call,
): Promise<AdmitResult> {
  assertIdentity(request);
  const asserted = assertedEmail(request.email);
  const email = asserted && (await settleEmail(database, asserted));
  // Asked before the transaction, so that no connection waits for access.
  const onlyHere = await findOnlyHere({ database, authority }, request, email, call);
  const row = rowOf.identity(request);
  return database.transaction({ call, tenant: request.tenant, row }, async (tx) => {
    // Names are locked before rows, as everywhere: fifty concurrent sign-ins of a new person create
    // one user.
    await lockName(tx, row);
    const unconfirmed = await isUnconfirmed(tx, request);
    const linkedAccount = await findLinkedAccount(tx, request);
    if (!linkedAccount) return admitUnknown(tx, { request, email, onlyHere, unconfirmed });
    assertActive(linkedAccount.user);
    assertInDomains(linkedAccount.user, request);
    await use(tx, request, linkedAccount, onlyHere);
    return { user: linkedAccount.user, outcome: 'known' };
  });
}

export function assertIdentity(request: ProvidersIdentity): void {
  if (!isIdentity(request))
    throw denied('the provider did not identify the user', 'ANSWER_INVALID');
}

/** The account in question, if it has no membership elsewhere and no platform grant. */
async function findOnlyHere(
  { database, authority }: AdmitDeps,
  request: AdmitRequest,
  email: Email | undefined,
  call: Origin,
): Promise<string | undefined> {
  const userId = await findUndecided(database, request, email?.key ?? '');
  if (userId === undefined) return undefined;
  const { known: isElsewhere } = await authority.isKnownElsewhere(
    { userId, tenant: request.tenant },
    call,
  );
  return isElsewhere ? undefined : userId;
}

/**
 * The trust in a link that is made or used now: `domain` if no other tenant and no credential knows
 * the account.
 */
async function trustIn(
  tx: Transaction,
  { tenant }: AdmitRequest,
  user: UserRow,
  onlyHere: string | undefined,
): Promise<Trust> {
  const alone =
    user.id === onlyHere &&
    user.passwordHash === null &&
    !(await hasPasskey(tx, user.id)) &&
    !(await hasIdentityElsewhere(tx, user.id, tenant));
  return alone ? 'domain' : 'address';
}

type LinkedAccount = { user: UserRow; linkTrust: LinkTrust };

export async function findLinkedAccount(
  tx: Transaction,
  identity: ProvidersIdentity,
): Promise<LinkedAccount | undefined> {
  const userId = await findLinkedUser(tx, identity);
  const user =
    userId === undefined ? null : await tx.em.findOne(UserEntity, { id: userId }, { lockMode });
  // The user or link was deleted meanwhile, so the identity is unknown.
  const linkTrust = user && (await lockIdentity(tx, identity, user.id));
  return linkTrust ? { user, linkTrust } : undefined;
}

async function use(
  tx: Transaction,
  request: AdmitRequest,
  { user, linkTrust }: LinkedAccount,
  onlyHere: string | undefined,
): Promise<void> {
  const trust =
    linkTrust.trust === 'address' ? await trustIn(tx, request, user, onlyHere) : linkTrust.trust;
  const lapsed = !request.domains.includes(normaliseEmail(user.email).domain);
  await useIdentity(tx, request, user.id, { trust, lapsed });
  // The sessions opened by the link change with it, and a use of a link has no event.
  if (isLimited({ trust, lapsed }) !== isLimited(linkTrust))
    recordRevocation(tx, [`user:${user.id}`]);
}

type Newcomer = {
  request: AdmitRequest;
  email: Email | undefined;
  onlyHere: string | undefined;
  /** Whether the provider is not confirmed. */
  unconfirmed: boolean;
};

async function admitUnknown(tx: Transaction, newcomer: Newcomer): Promise<AdmitResult> {
  const { request, onlyHere, unconfirmed } = newcomer;
  const email = assertVerifiedAddress(newcomer);
  if (!request.domains.includes(email.domain))
    throw denied('the address is not in a verified domain of the tenant', 'DOMAIN_FOREIGN');
  await lockName(tx, rowOf.account(email.key));
  const user = await tx.em.findOne(UserEntity, { emailKey: email.key }, { lockMode });
  if (user) {
    if (!(await proveMailbox(tx, user)))
      throw denied('the account was made by a social sign-in, and has factors', 'ALREADY_LINKED');
    const trust = await trustIn(tx, request, user, onlyHere);
    await link(tx, request, user, { trust, unconfirmed });
    return { user, outcome: 'linked' };
  }
  if (!request.jit) throw denied('there is no account with this address', 'NO_ACCOUNT');
  const newLink = { trust: 'domain' as const, unconfirmed };
  return { user: await createUser(tx, request, email, newLink), outcome: 'created' };
}

/** The address, if the provider has verified it. */
export function assertVerifiedAddress({
  request,
  email,
}: Pick<Newcomer, 'request' | 'email'>): Email {
  if (!email)
    throw denied(
      request.email === ''
        ? 'the provider returned no email address'
        : 'the provider returned an invalid email address',
      'EMAIL_MISSING',
    );
  if (!request.emailVerified)
    throw denied('the provider has not verified the address', 'EMAIL_UNVERIFIED');
  return email;
}

export function assertActive(user: UserRow): void {
  if (user.status !== 'active') throw denied('the account is disabled', 'ACCOUNT_DISABLED');
}

// The tenant may no longer sign in an account that has moved to an address outside its domains.
function assertInDomains(user: UserRow, { email, domains, lapsedDomains }: AdmitRequest): void {
  const isOurs = (domain: string | undefined) =>
    domain !== undefined && (domains.includes(domain) || lapsedDomains.includes(domain));
  if (!isOurs(normaliseEmail(user.email).domain))
    throw denied('the address of the account is not in a domain of the tenant', 'DOMAIN_FOREIGN');
  if (email !== '' && !isOurs(assertedEmail(email)?.domain))
    throw denied('the address is not in a domain of the tenant', 'DOMAIN_FOREIGN');
}

type NewLink = { trust: Trust; unconfirmed: boolean };

async function link(
  tx: Transaction,
  request: AdmitRequest,
  user: UserRow,
  newLink: NewLink,
): Promise<void> {
  assertActive(user);
  await assertUnlinked(tx, request, user);
  persistLink(tx, request, user, newLink);
  record(tx, {
    tenant: request.tenant,
    type: 'user.identity_linked',
    data: null,
    targets: [{ Type: 'user', ID: user.id, Name: user.email }, providerTarget(request)],
    tasks: [
      noticeTask('account_linked', user.email, {
        locale: user.locale,
        tenantName: request.tenantName,
      }),
    ],
  });
}

/** Another person may have the address now, and must not get the previous holder's account. */
export async function assertUnlinked(
  tx: Transaction,
  place: { tenant: string; provider: string },
  user: UserRow,
): Promise<void> {
  if (await holdIdentityAt(tx, place, user.id))
    throw denied('the account is linked to another identity of this provider', 'ALREADY_LINKED');
}

export async function createUser(
  tx: Transaction,
  request: AdmitRequest,
  email: Email,
  newLink: NewLink,
): Promise<UserRow> {
  // A pending registration has not proved control of the address, so neither it nor its password
  // counts.
  await consumeRivals(tx, [email.key]);
  const user: UserRow = {
    ...newUser(createId('usr'), email, null, new Date()),
    ...assertedProfile(request),
    // A tenant's provider vouches for the tenant's own domains.
    mailboxProven: request.tenant !== '' || request.runsMailbox,
  };
  tx.em.persist(tx.em.create(UserEntity, user));
  persistLink(tx, request, user, newLink);
  recordUser(tx, 'user.registered', user, { targets: [providerTarget(request)] });
  return user;
}

export function persistLink(
  tx: Transaction,
  { tenant, provider, issuer, subject, email }: ProvidersIdentity & { email: string },
  user: UserRow,
  { trust, unconfirmed }: NewLink,
): void {
  const now = new Date();
  const columns = { trust, unconfirmed, lapsed: false, passwordMark: markOf(user.passwordHash) };
  tx.em.persist(
    tx.em.create(IdentityLinkEntity, {
      tenant,
      provider,
      issuer,
      subject,
      userId: user.id,
      email,
      ...columns,
      createdAt: now,
      lastUsedAt: now,
    }),
  );
}

export const providerTarget = ({ provider }: { provider: string }) => ({
  Type: 'sso_provider',
  ID: provider,
  Name: '',
});
