import { type EntityManager, inTransaction, onPool, type Run } from '@bailiwick/database';
import { notFound, toServiceError } from '@bailiwick/errors';
import { recordChange } from '@bailiwick/events';
import { createId, type Email, timeAfter } from '@bailiwick/values';
import { LockMode } from '@mikro-orm/core';
import { findUserByEmail } from '../directory.ts';
import { ScimUserEntity } from '../provisioned/entities.ts';
import { assertPresent } from '../subjects/state.ts';
import { lockTenant } from '../tenants/lock.ts';
import { assertMayEnd } from '../tenants/status.ts';
import { assertMayMove } from './address.ts';
import type { ScimDeps, ScimRequest } from './deps.ts';
import { leaveScimGroups } from './members.ts';
import {
  addressOf,
  hasDeclined,
  hasExpired,
  isHeld,
  personVersion,
  profileOf,
  userNameKey,
  writable,
} from './people.ts';
import { invalidValue, mutability, staleVersion, uniqueness } from './protocol/problems.ts';
import { canonical, type Resource, readResource, textOf } from './protocol/resource.ts';
import { userType } from './protocol/schemas.ts';
import { findPeopleBy, findPerson, type PersonRow } from './queries.ts';
import { type Account, deprovision, type ScimUser, settle } from './settle.ts';

// The people of a directory. identity is asked before a transaction, never inside one.

const maxResource = 32 * 1024;
/** Attempts of a change whose person another process changes at the same time. */
const maxAttempts = 3;

/** Adds a person: a member at once, or an invitation. Returns the ID. */
export async function createPerson(
  deps: ScimDeps,
  { tenant, call }: ScimRequest,
  body: unknown,
): Promise<string> {
  const { active = true, ...resource } = readPerson(body);
  const wanted = { resource, email: addressOf(resource), isActive: active === true };
  await assertUnique(onPool(deps.database), tenant, wanted);
  const account = await findAccount(deps, tenant, wanted, call);
  const id = createId('scu');
  await inTenant(deps, tenant, account, async (em) => {
    const now = new Date();
    const row = { tenant, id, userId: '', invitationId: '', createdAt: now, updatedAt: now };
    const person = em.create(ScimUserEntity, { ...row, ...columnsOf(resource, wanted.email) });
    await assertUnique(inTransaction(em), tenant, wanted);
    em.persist(person);
    record(em, call, 'scim.user_created', person);
    await settle(em, deps, person, { ...wanted, account }, call);
  });
  return id;
}

type Change = {
  id: string;
  /** The If-Match header; "" = any version. */
  ifMatch: string;
  /** The attributes that the directory wants, from the present ones. */
  next: (present: Resource) => unknown;
};

/** Changes a person. Writes nothing if nothing changes. */
export async function changePerson(
  deps: ScimDeps,
  { tenant, call }: ScimRequest,
  { id, ifMatch, next }: Change,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await getPerson(onPool(deps.database), tenant, id);
    assertVersion(ifMatch, personVersion(stored));
    const present = writable(stored);
    // An expired invitation is sent again, unless the directory deactivates the person.
    const isExpired = hasExpired(stored);
    const kept = isExpired ? { ...present, active: true } : present;
    const { active: sent = kept['active'], ...resource } = readPerson(next(kept));
    const active = sent === true && !isHeld(stored);
    // A person who has declined stays so, active or not.
    const shown = hasDeclined(stored) || active;
    if (!isExpired && canonical({ ...resource, active: shown }) === canonical(present)) return;
    const wanted = { resource, email: addressOf(resource), isActive: active };
    const account = await updateAccount(deps, stored, wanted, call);
    const isDone = await inTenant(deps, tenant, account, async (em) => {
      const person = await lockPerson(em, id);
      if (person.updatedAt.getTime() !== new Date(stored.updatedAt).getTime()) return false;
      em.assign(person, columnsOf(resource, wanted.email));
      await assertUnique(inTransaction(em), tenant, wanted, id);
      person.updatedAt = timeAfter(person.updatedAt);
      record(em, call, 'scim.user_updated', person);
      await settle(em, deps, person, { ...wanted, account }, call);
      return true;
    });
    if (isDone) return;
    if (ifMatch !== '' || attempt === maxAttempts) throw staleVersion();
  }
}

/** Removes a person, the membership and the invitation. */
export async function deletePerson(
  deps: ScimDeps,
  { tenant, call }: ScimRequest,
  id: string,
  ifMatch: string,
): Promise<void> {
  await inTenant(deps, tenant, undefined, async (em) => {
    const person = await lockPerson(em, id);
    assertVersion(ifMatch, personVersion(await getPerson(inTransaction(em), tenant, id)));
    await leaveScimGroups(em, { tenant, scimUserId: id });
    await deprovision(em, person, call);
    em.remove(person);
    record(em, call, 'scim.user_deleted', person);
  });
}

async function getPerson(run: Run, tenant: string, id: string): Promise<PersonRow> {
  const found = await findPerson(run, tenant, id);
  if (!found) throw notFound('User');
  return found;
}

/** Throws unless a version is among those of an If-Match header (RFC 7644, section 3.14). */
export function assertVersion(ifMatch: string, version: string): void {
  if (ifMatch === '' || ifMatch.trim() === '*') return;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  if (!ifMatch.split(',').some((tag) => opaque(tag) === opaque(version))) throw staleVersion();
}

function readPerson(body: unknown): Resource {
  const resource = readResource(userType, body);
  if (canonical(resource).length > maxResource)
    throw invalidValue(`a User must have at most ${maxResource / 1024} KiB`);
  return resource;
}

const columnsOf = (resource: Resource, email: Email) => ({
  resource,
  userNameKey: userNameKey(textOf(resource['userName'])),
  externalId: textOf(resource['externalId']),
  emailKey: email.key,
});

type Described = { resource: Resource; email: Email };

type Wanted = Described & { isActive: boolean };

/** Asks identity for the account of a person, which it creates for active ones in the domains. */
async function findAccount(
  { directory }: ScimDeps,
  tenant: string,
  { resource, email, isActive }: Wanted,
  call: ScimRequest['call'],
): Promise<Account> {
  const profile = profileOf(resource, email);
  if (isActive)
    return directory.provisionUser(
      { tenant, profile, actor: call.caller },
      { signal: call.signal },
    );
  // An inactive person may be a member already, whom the directory now disables.
  const user = await findUserByEmail(directory, email.address, call);
  return { vouched: false, ...(user && { user }) };
}

/**
 * Carries a change to the account of a member, or finds the account of one who is not a member. The
 * address is sent only if the directory changes it: the person may have another one.
 */
async function updateAccount(
  deps: ScimDeps,
  stored: PersonRow,
  wanted: Wanted,
  call: ScimRequest['call'],
): Promise<Account> {
  const { tenant, userId, memberStatus } = stored;
  const { resource, email } = wanted;
  await assertUnique(onPool(deps.database), tenant, wanted, stored.id);
  if (memberStatus === null || memberStatus === 'barred')
    return findAccount(deps, tenant, wanted, call);
  const profile = profileOf(resource, email);
  const before = profileOf(stored.resource as Resource, addressOf(stored.resource as Resource));
  if (canonical(profile) === canonical(before)) return undefined;
  const isMoved = email.key !== stored.emailKey;
  if (isMoved) await assertMayMove(onPool(deps.database), call, tenant, userId);
  if (!wanted.isActive) await assertMayDisable(deps, stored, call);
  const sent = isMoved ? profile : { ...profile, email: '' };
  const { revised } = await deps.directory
    .reviseUser({ tenant, userId, profile: sent, actor: call.caller }, { signal: call.signal })
    .catch((thrown: unknown) => {
      throw toServiceError(thrown).code === 'already_exists' ? taken('address') : thrown;
    });
  if (!revised && isMoved)
    throw mutability(
      "the address of a person outside of the verified domains is not the directory's",
    );
  return undefined;
}

/** Throws for a member whom the directory must not disable, before identity changes the account. */
async function assertMayDisable(
  { database }: ScimDeps,
  { tenant, userId, memberStatus }: PersonRow,
  call: ScimRequest['call'],
): Promise<void> {
  if (memberStatus === 'disabled') return;
  await database.transaction({ tenant, row: `tenant ${tenant}` }, (em) =>
    assertMayEnd(em, call, { tenant, userId, what: 'disabled' }),
  );
}

const taken = (what: 'address' | 'userName') =>
  uniqueness(`another User has the ${what === 'address' ? 'mail address' : what}`);

/**
 * Called before identity is asked, so that a refused request makes no account, and again in the
 * transaction, which has locked the tenant. `own`: the ID of a person who exists.
 */
async function assertUnique(
  run: Run,
  tenant: string,
  { resource, email }: Described,
  own = '',
): Promise<void> {
  const key = userNameKey(textOf(resource['userName']));
  const isOther = ({ id }: PersonRow) => id !== own;
  if ((await findPeopleBy(run, tenant, 'userName', key)).some(isOther)) throw taken('userName');
  if ((await findPeopleBy(run, tenant, 'email', email.key)).some(isOther)) throw taken('address');
}

/** A transaction that has locked the account's status, and then the tenant. */
const inTenant = <T>(
  { database }: ScimDeps,
  tenant: string,
  account: Account,
  work: (em: EntityManager) => Promise<T>,
): Promise<T> =>
  database.transaction({ tenant, row: `tenant ${tenant}` }, async (em) => {
    if (account?.user) await assertPresent(em, account.user.id, 'user');
    await lockTenant(em, tenant);
    return work(em);
  });

async function lockPerson(em: EntityManager, id: string): Promise<ScimUser> {
  const person = await em.findOne(ScimUserEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!person) throw notFound('User');
  return person;
}

/** Audits a change of what the directory knows. The membership has events of its own. */
function record(
  em: EntityManager,
  call: ScimRequest['call'],
  type: string,
  { tenant, id, resource, userId }: ScimUser,
): void {
  const targets = [{ Type: 'scim_user', ID: id, Name: textOf(resource['userName']) }];
  if (userId !== '') targets.push({ Type: 'user', ID: userId, Name: '' });
  recordChange(em, call, { tenant, type, data: null, targets });
}
