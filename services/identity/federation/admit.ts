import type { AdmitRequest } from '@bailiwick/proto/gen/bailiwick/identity/v1/federation_pb.ts';
import type { Call } from '@bailiwick/shared/dispatch.ts';
import { type Email, normaliseEmail } from '@bailiwick/shared/email.ts';
import { denied } from '@bailiwick/shared/errors.ts';
import { createId } from '@bailiwick/shared/ids.ts';
import { type Database, type EntityManager, lockName } from '@bailiwick/shared/orm.ts';
import { recordChange } from '@bailiwick/shared/outbox.ts';
import { noticeTask } from '@bailiwick/shared/tasks.ts';
import { LockMode } from '@mikro-orm/core';
import { consumeRivals } from '../account/queries.ts';
import { recordUser } from '../account/records.ts';
import { newUser, UserEntity, type UserRow } from '../users/entities.ts';
import { assertedEmail, assertedProfile, isIdentity } from './asserted.ts';
import { IdentityLinkEntity } from './entities.ts';
import { findLinkedUser, holdIdentityAt, type ProvidersIdentity, useIdentity } from './queries.ts';

export type Admitted = { user: UserRow; outcome: 'known' | 'linked' | 'created' };

const lockMode = LockMode.PESSIMISTIC_WRITE;

/**
 * The user whom an identity belongs to. Provider, issuer and subject say who somebody is; the address only says which
 * account an identity that nobody knows yet is linked to, and only inside the tenant's own domains.
 */
export async function admit(
  database: Database,
  request: AdmitRequest,
  call: Call,
): Promise<Admitted> {
  if (!isIdentity(request)) throw denied('the provider does not say who this is', 'ANSWER_INVALID');
  return database.transaction(request.tenant, async (em) => {
    // Names are locked before rows, as everywhere: a new person who comes fifty times at once is made once.
    await lockName(
      em,
      `identity ${JSON.stringify([request.tenant, request.provider, request.issuer, request.subject])}`,
    );
    const known = await findKnown(em, request);
    if (!known) return admitUnknown(em, request, call);
    assertActive(known);
    assertInDomains(known, request);
    return { user: known, outcome: 'known' };
  });
}

async function findKnown(
  em: EntityManager,
  identity: ProvidersIdentity,
): Promise<UserRow | undefined> {
  const userId = await findLinkedUser(em, identity);
  const user =
    userId === undefined ? null : await em.findOne(UserEntity, { id: userId }, { lockMode });
  // Deleted or unlinked meanwhile: then this is nobody whom we know.
  return user && (await useIdentity(em, identity, user.id)) ? user : undefined;
}

async function admitUnknown(
  em: EntityManager,
  request: AdmitRequest,
  call: Call,
): Promise<Admitted> {
  const email = assertVouched(request);
  await lockName(em, `account ${email.key}`);
  const user = await em.findOne(UserEntity, { emailKey: email.key }, { lockMode });
  if (user) {
    await link(em, request, user, call);
    return { user, outcome: 'linked' };
  }
  if (!request.jit) throw denied('there is no account with this address', 'NO_ACCOUNT');
  return { user: await createUser(em, request, email, call), outcome: 'created' };
}

/** The address, which the provider has verified and the tenant has the say about. */
function assertVouched(request: AdmitRequest): Email {
  const email = assertedEmail(request.email);
  if (!email)
    throw denied(
      request.email === ''
        ? 'the provider tells no address'
        : 'what the provider tells is no mail address',
      'EMAIL_MISSING',
    );
  if (!request.emailVerified)
    throw denied('the provider has not verified the address', 'EMAIL_UNVERIFIED');
  if (!request.domains.includes(email.domain))
    throw denied('the address is in no verified domain of the tenant', 'DOMAIN_FOREIGN');
  return email;
}

function assertActive(user: UserRow): void {
  if (user.status !== 'active') throw denied('the account is disabled', 'ACCOUNT_DISABLED');
}

// An account that has moved to another address is not the tenant's to steer any more.
function assertInDomains(user: UserRow, { email, domains, lapsedDomains }: AdmitRequest): void {
  const isOurs = (domain: string | undefined) =>
    domain !== undefined && (domains.includes(domain) || lapsedDomains.includes(domain));
  if (!isOurs(normaliseEmail(user.email).domain))
    throw denied(
      'the account has an address in none of the domains of the tenant',
      'DOMAIN_FOREIGN',
    );
  if (email !== '' && !isOurs(assertedEmail(email)?.domain))
    throw denied('the address is in no domain of the tenant', 'DOMAIN_FOREIGN');
}

async function link(
  em: EntityManager,
  request: AdmitRequest,
  user: UserRow,
  call: Call,
): Promise<void> {
  assertActive(user);
  // The address may have been given to another person, who would get the account of the one who had it before.
  if (await holdIdentityAt(em, request, user.id))
    throw denied('the account is linked to another identity of this provider', 'ALREADY_LINKED');
  persistLink(em, request, user.id);
  recordChange(em, call, {
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

async function createUser(
  em: EntityManager,
  request: AdmitRequest,
  email: Email,
  call: Call,
): Promise<UserRow> {
  // Whoever has registered the address had not proved to hold it: neither they nor their password get in.
  await consumeRivals(em, email.key);
  const user: UserRow = {
    ...newUser(createId('usr'), email, null, new Date()),
    ...assertedProfile(request),
  };
  em.persist(em.create(UserEntity, user));
  persistLink(em, request, user.id);
  recordUser(em, call, 'user.registered', user, { targets: [providerTarget(request)] });
  return user;
}

function persistLink(
  em: EntityManager,
  { tenant, provider, issuer, subject, email }: AdmitRequest,
  userId: string,
): void {
  const now = new Date();
  em.persist(
    em.create(IdentityLinkEntity, {
      tenant,
      provider,
      issuer,
      subject,
      userId,
      email,
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
