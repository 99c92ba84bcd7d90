import { assertRecentLogin } from '@bailiwick/contract';
import { failedPrecondition, notFound, type Problem, problem } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { Transaction } from '@bailiwick/store';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { LockMode } from '@mikro-orm/core';
import { assertMayGrant, assertMayTake, isOwnGrant } from '../decisions/delegation.ts';
import { addGrant, type GrantKey, removeGrant } from '../grants/entries.ts';
import type { GrantInput } from '../grants/records.ts';
import { GroupEntity } from '../groups/entities.ts';
import { pathKey } from '../groups/path.ts';
import { isBuiltIn, ownerRole } from '../permissions/builtin.ts';
import { assertRole } from '../roles/save.ts';
import { assertPresent, lockSubject } from '../subjects/state.ts';
import { TenantMemberEntity } from '../tenants/entities.ts';
import { lockTenant } from '../tenants/lock.ts';
import { countOtherOwners, ownsPermanently } from '../tenants/owners/queries.ts';
import type { PlatformNotice } from './platform-role.ts';

/** Validation errors of a new grant. Removing an expired grant is allowed. */
export function grantProblems({ expiresAt }: { expiresAt?: Timestamp | undefined }): Problem[] {
  return expiresAt && timestampDate(expiresAt).getTime() <= Date.now()
    ? [problem('Grant.ExpiresAt', 'future', 'must be in the future')]
    : [];
}

/**
 * Grants a role. Requires that the caller may grant the role, and that the role and the subject
 * exist. The caller of this function has already checked with identity that users and bots exist.
 * Returns whether it has recorded a change.
 */
export async function grant(
  tx: Transaction,
  input: GrantInput,
  call: Call,
  { reason, tasks }: PlatformNotice = {},
): Promise<boolean> {
  const { tenant, role, expiresAt } = input;
  const end = expiresAt ? timestampDate(expiresAt) : null;
  // Always the first lock: deleting a subject holds it while it goes through tenants.
  if (input.subjectType !== 'group') await lockSubject(tx, input.subject);
  await lockOwners(tx, input);
  const key = await keyOf(tx, input);
  // On the platform, only built-in roles exist.
  if (tenant !== '') await assertRole(tx, role);
  else if (!isBuiltIn(role)) throw notFound('role');
  await assertMayGrant(tx, call.caller, tenant, [role], end);
  if (end) await assertOwned(tx, input);
  const more = { ...(reason !== undefined && { reason }), ...(tasks && { tasks }) };
  return addGrant(tx, call, { ...key, ...more }, end);
}

/**
 * Revokes a role that the caller may grant, or one of its own. The last owner cannot lose
 * ownership. Returns whether there was a grant.
 */
export async function withdraw(
  tx: Transaction,
  input: GrantInput,
  call: Call,
  { tasks = [] }: PlatformNotice = {},
): Promise<boolean> {
  const { tenant, subjectType, subject, role, resource } = input;
  await lockOwners(tx, input);
  const key = subjectType === 'group' ? await groupSubject(tx, tenant, subject) : { subject };
  const { caller } = call;
  if (!isOwnGrant(caller, input)) await assertMayTake(tx, caller, tenant, [role]);
  else if (role === ownerRole) assertRecentLogin(caller);
  await assertOwned(tx, input);
  return removeGrant(tx, call, { tenant, subjectType, ...key, role, resource }, tasks);
}

/** Serialises changes of owners: the check for the last owner reads all of them. */
async function lockOwners(tx: Transaction, { tenant, role }: GrantInput): Promise<void> {
  if (tenant !== '' && role === ownerRole) await lockTenant(tx, tenant);
}

/** Throws if the tenant would be left without a permanent owner. */
async function assertOwned(
  tx: Transaction,
  { tenant, subjectType, subject, role, resource }: GrantInput,
): Promise<void> {
  if (tenant === '' || subjectType !== 'user' || role !== ownerRole || resource !== '') return;
  const run = tx.query;
  if (
    (await countOtherOwners(run, tenant, subject)) === 0 &&
    (await ownsPermanently(run, tenant, subject))
  )
    throw failedPrecondition('the last owner of a tenant cannot be removed', 'LAST_OWNER');
}

/**
 * The stored key of a group in its grants, and its path in the API: a request may spell the path
 * differently.
 */
async function groupSubject(
  tx: Transaction,
  tenant: string,
  path: string,
): Promise<Pick<GrantKey, 'subject' | 'name'>> {
  const group = tenant === '' ? null : await tx.em.findOne(GroupEntity, { key: pathKey(path) });
  return { subject: pathKey(path), name: group?.path ?? path };
}

/**
 * The grant's key. Locks the subject, so that it cannot be deleted before this transaction ends.
 */
async function keyOf(
  tx: Transaction,
  { tenant, subjectType, subject, role, resource }: GrantInput,
): Promise<GrantKey> {
  const key = { tenant, subjectType, subject, role, resource };
  if (subjectType === 'group') {
    const group =
      tenant === ''
        ? null
        : await tx.em.findOne(
            GroupEntity,
            { key: pathKey(subject) },
            { lockMode: LockMode.PESSIMISTIC_WRITE },
          );
    if (!group) throw notFound('group');
    return { ...key, subject: group.key, name: group.path };
  }
  if (subjectType === 'user' && tenant !== '') {
    const member = await tx.em.findOne(
      TenantMemberEntity,
      { userId: subject, status: { $ne: 'barred' } },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (!member) throw notFound('tenant member');
    return key;
  }
  await assertPresent(tx, subject, subjectType);
  return key;
}
