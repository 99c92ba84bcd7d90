import { createId, type Email, type RightsKey, timeAfter } from '@bailiwick/contract';
import { notFound, toServiceError } from '@bailiwick/errors';
import { record } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import { onPool, type Run, type Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { enterScimGroups } from '../provisioned/enter.ts';
import { type ScimUser, ScimUserEntity } from '../provisioned/entities.ts';
import { rowOf } from '../rows.ts';
import { lockSubject } from '../subjects/state.ts';
import type { StoredSettings } from '../tenants/entities.ts';
import { lockTenant } from '../tenants/lock.ts';
import {
  assertMayDisable,
  assertMayMove,
  type DesiredPerson,
  findAccount,
  type PersonProfile,
} from './account.ts';
import { deactivate, isRefusal } from './deactivate.ts';
import type { ScimDeps, ScimRequest } from './deps.ts';
import { leaveScimGroups } from './members.ts';
import { storeNotes } from './notices/notes.ts';
import {
  addressOf,
  hasDeclined,
  hasExpired,
  isHeld,
  nextAddress,
  personVersion,
  presentAddress,
  profileOf,
  userNameKey,
  writable,
} from './people.ts';
import { mutability, staleVersion, uniqueness } from './protocol/problems.ts';
import { canonical, type Resource, textOf } from './protocol/resource.ts';
import { addPerson, findPerson, findPlace, type PersonRow, type Place } from './queries.ts';
import { type NextPerson, type PersonChange, readChange, readNewPerson } from './read-person.ts';
import { type Account, deprovision, settle } from './settle.ts';

// The people of a directory. identity is asked before a transaction, never inside one.

/** Attempts of a change whose person another process changes at the same time. */
const maxAttempts = 3;
/** The same of a deactivation, which must not fail because others are at work. */
const maxDeactivations = 20;

/** Adds a person: a member at once, or an invitation. Returns the ID. */
export async function createPerson(
  deps: ScimDeps,
  { tenant, call, source }: ScimRequest,
  body: unknown,
): Promise<string> {
  const { resource, requestedActive: active = true, notes } = readNewPerson(body);
  const desired = { resource, email: addressOf(resource), isActive: active };
  await assertFree(onPool(deps.database), tenant, desired, {});
  const account = await findAccount(deps, tenant, desired, call);
  const id = createId('scu');
  // Nobody had rights with an account that this call has made: the log gets its key, and the reply
  // does not wait for the caches.
  const quietCall = account?.created ? { ...call, invalidates: new Set<RightsKey>() } : call;
  await inTenant(deps, { call: quietCall, tenant, account }, async (tx, settings) => {
    const place = await assertFree(tx.query, tenant, desired, { account });
    const now = new Date();
    const row = { tenant, id, userId: '', invitationId: '', createdAt: now, updatedAt: now };
    const person = { ...row, ...columnsOf(resource, desired.email) };
    recordPerson(tx, 'scim.user_created', person);
    const isStranger = !place.isMember;
    const membership = { ...desired, account, source, settings, place, isStranger };
    // A new person is in no group yet.
    await settle(tx, deps, person, membership, quietCall);
    await addPerson(tx.query, person);
    await storeNotes(tx.query, { tenant, resourceType: 'User', id, notes });
  });
  return id;
}

type Change = {
  id: string;
  /** The If-Match header; "" = any version. */
  ifMatch: string;
  /** The attributes that the directory wants, from the present ones. */
  next: NextPerson;
};

/** Changes a person. Writes nothing if nothing changes. */
export async function changePerson(
  deps: ScimDeps,
  request: ScimRequest,
  { id, ifMatch, next }: Change,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await getPerson(onPool(deps.database), request.tenant, id);
    assertVersion(ifMatch, personVersion(stored));
    const change = readChange(stored, next);
    const apply = (one: PersonChange) => applyChange(deps, request, stored, one);
    const isStored =
      change.requestedActive === false ? deactivate(stored, change, apply) : apply(change);
    if (await isStored) return;
    const most = change.requestedActive === false ? maxDeactivations : maxAttempts;
    if (ifMatch !== '' || attempt === most) throw staleVersion();
  }
}

/** Returns false if another process has changed the person since. */
async function applyChange(
  deps: ScimDeps,
  request: ScimRequest,
  stored: PersonRow,
  { resource, requestedActive, notes, emptied }: PersonChange,
): Promise<boolean> {
  const present = writable(stored);
  const active = requestedActive ?? present['active'] === true;
  // A person who has declined or whom an administrator has disabled stays so, active or not.
  const isShownActive = hasDeclined(stored) || (active && !isHeld(stored));
  const isSame = canonical({ ...resource, active: isShownActive }) === canonical(present);
  // An expired invitation is sent again, unless the directory deactivates the person.
  const isInvitedAgain = hasExpired(stored) && requestedActive !== false;
  if (isSame && !hasExpired(stored)) {
    const { tenant, id } = stored;
    await storeNotes(onPool(deps.database, request.call), {
      tenant,
      resourceType: 'User',
      id,
      notes,
    });
    return true;
  }
  // The present value of a held person is the administrator's wish and not the directory's.
  const wish = requestedActive ?? (isHeld(stored) ? undefined : active);
  const email = nextAddress(stored, { resource, emptied });
  const desired = { resource, email, isActive: isInvitedAgain || wish, notes };
  try {
    return await storeChange(deps, request, stored, desired);
  } catch (thrown) {
    // A request without active does not ask for the invitation: its attributes are stored without
    // one. If another part of the request was refused, it is refused again.
    if (!isInvitedAgain || requestedActive !== undefined || !isRefusal(thrown)) throw thrown;
    return isSame || storeChange(deps, request, stored, { ...desired, isActive: undefined });
  }
}

async function storeChange(
  deps: ScimDeps,
  { tenant, call, source }: ScimRequest,
  stored: PersonRow,
  desired: DesiredPerson & Pick<PersonChange, 'notes'>,
): Promise<boolean> {
  const { id } = stored;
  const { notes } = desired;
  const account = await updateAccount(deps, stored, desired, { call, source });
  return inTenant(deps, { call, tenant, account }, async (tx, settings) => {
    const person = await lockPerson(tx, id);
    if (person.updatedAt.getTime() !== new Date(stored.updatedAt).getTime()) return false;
    tx.em.assign(person, columnsOf(desired.resource, desired.email));
    const place = await assertFree(tx.query, tenant, desired, { account, own: id });
    person.updatedAt = timeAfter(person.updatedAt);
    recordPerson(tx, 'scim.user_updated', person);
    const membership = { ...desired, account, source, settings, place, isStranger: false };
    const userId = await settle(tx, deps, person, membership, call);
    if (userId !== undefined) await enterScimGroups(tx, { scimUserId: id, userId, source });
    await storeNotes(tx.query, { tenant, resourceType: 'User', id, notes });
    return true;
  });
}

/** Removes a person, the membership and the invitation. */
export async function deletePerson(
  deps: ScimDeps,
  { tenant, call, source }: ScimRequest,
  id: string,
  ifMatch: string,
): Promise<void> {
  await inTenant(deps, { call, tenant }, async (tx) => {
    const person = await lockPerson(tx, id);
    assertVersion(ifMatch, personVersion(await getPerson(tx.query, tenant, id)));
    await leaveScimGroups(tx, { tenant, scimUserId: id });
    await deprovision(tx, person, { call, source });
    tx.em.remove(person);
    recordPerson(tx, 'scim.user_deleted', person);
  });
}

async function getPerson(run: Run, tenant: string, id: string): Promise<PersonRow> {
  const row = await findPerson(run, tenant, id);
  if (!row) throw notFound('User');
  return row;
}

/** Throws unless a version is among those of an If-Match header (RFC 7644, section 3.14). */
export function assertVersion(ifMatch: string, version: string): void {
  if (ifMatch === '' || ifMatch.trim() === '*') return;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  if (!ifMatch.split(',').some((tag) => opaque(tag) === opaque(version))) throw staleVersion();
}

const columnsOf = (resource: Resource, email: Email) => ({
  resource,
  userNameKey: userNameKey(textOf(resource['userName'])),
  externalId: textOf(resource['externalId']),
  emailKey: email.key,
});

/**
 * Carries a change to the account of a member, or finds the account of one who is not a member. The
 * address is sent only if the directory changes it: the person may have another one.
 */
async function updateAccount(
  deps: ScimDeps,
  stored: PersonRow,
  desired: DesiredPerson,
  { call, source }: Pick<ScimRequest, 'call' | 'source'>,
): Promise<Account> {
  const { tenant, userId, memberStatus } = stored;
  const { resource, email } = desired;
  await assertFree(onPool(deps.database), tenant, desired, { own: stored.id });
  const isMoved = email.key !== stored.emailKey;
  // The hold is on the account, which the person has as long as the address.
  if (memberStatus === 'barred' && isHeld(stored) && !isMoved) return undefined;
  if (memberStatus === null || memberStatus === 'barred')
    return findAccount(deps, tenant, desired, call);
  const profile = profileOf(resource, email);
  const before = profileOf(stored.resource as Resource, presentAddress(stored));
  if (canonical(profile) === canonical(before)) return undefined;
  if (isMoved) await assertMayMove(onPool(deps.database), source, tenant, userId);
  if (desired.isActive === false) await assertMayDisable(deps, stored, { call, source });
  const update = isMoved ? profile : { ...profile, email: '' };
  const { revised } = await deps.directory
    .reviseUser({ tenant, userId, profile: update, actor: call.caller }, call, {
      signal: call.signal,
    })
    .catch((thrown: unknown) => {
      throw toServiceError(thrown).code === 'already_exists' ? conflict('address') : thrown;
    });
  if (!revised && isMoved)
    throw mutability(
      'a directory cannot change the address of a user outside of the verified domains',
    );
  return undefined;
}

const conflict = (what: 'address' | 'userName') =>
  uniqueness(`another User has the ${what === 'address' ? 'mail address' : what}`);

/**
 * Called before identity is asked, so that a refused request makes no account, and again in the
 * transaction, which has locked the account's status and the tenant. `own`: the ID of a person who
 * exists.
 */
async function assertFree(
  run: Run,
  tenant: string,
  { resource, email }: PersonProfile,
  { account, own = '' }: { account?: Account; own?: string },
): Promise<Place> {
  const keys = { userNameKey: userNameKey(textOf(resource['userName'])), emailKey: email.key };
  const place = await findPlace(run, tenant, { ...keys, userId: account?.user?.id ?? '', own });
  if (!place) throw new Error('the place of a person was not read');
  if (place.isDeleted) throw notFound('user');
  if (place.isNameTaken) throw conflict('userName');
  if (place.isAddressTaken) throw conflict('address');
  return place;
}

/** A transaction that has locked the account's status, and then the tenant. */
const inTenant = <T>(
  { database }: ScimDeps,
  { call, tenant, account }: { call: Call; tenant: string; account?: Account },
  work: (tx: Transaction, settings: StoredSettings) => Promise<T>,
): Promise<T> =>
  database.transaction({ call, tenant, row: rowOf.tenant(tenant) }, async (tx) => {
    if (account?.user) await lockSubject(tx, account.user.id);
    const { settings } = await lockTenant(tx, tenant);
    return work(tx, settings);
  });

async function lockPerson(tx: Transaction, id: string): Promise<ScimUser> {
  const person = await tx.em.findOne(
    ScimUserEntity,
    { id },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!person) throw notFound('User');
  return person;
}

/** Audits a change of the directory's record. The membership has events of its own. */
function recordPerson(
  tx: Transaction,
  type: string,
  { tenant, id, resource, userId }: ScimUser,
): void {
  const targets = [{ Type: 'scim_user', ID: id, Name: textOf(resource['userName']) }];
  if (userId !== '') targets.push({ Type: 'user', ID: userId, Name: '' });
  record(tx, { tenant, type, data: null, targets });
}
