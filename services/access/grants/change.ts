import type { Call } from '@bailiwick/shared/dispatch.ts';
import { failedPrecondition, notFound } from '@bailiwick/shared/errors.ts';
import { type EntityManager, inTransaction } from '@bailiwick/shared/orm.ts';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { LockMode } from '@mikro-orm/core';
import { assertMayConfer, assertMayTouch } from '../decisions/confer.ts';
import { GroupEntity } from '../groups/entities.ts';
import { pathKey } from '../groups/path.ts';
import { isBuiltIn, ownerRole } from '../roles/builtin.ts';
import { assertRole } from '../roles/save.ts';
import { assertPresent, lockSubject } from '../subjects/state.ts';
import { TenantMemberEntity } from '../tenants/entities.ts';
import { lockTenant } from '../tenants/lock.ts';
import { countOtherOwners, ownsForGood } from '../tenants/queries.ts';
import type { SubjectType } from './entities.ts';
import { addGrant, type GrantKey, removeGrant } from './entries.ts';

/** A grant as a request sends it: in a tenant, or on the platform where that is "". `subject` is the user's or bot's id, or the group's path. */
export type SentGrant = {
  tenant: string;
  subjectType: SubjectType;
  subject: string;
  role: string;
  resource: string;
  expiresAt: Timestamp | undefined;
};

/** What is wrong with a grant by itself, before it is added. One that has ended can be removed. */
export function grantProblems({ expiresAt }: { expiresAt?: Timestamp | undefined }): string[] {
  return expiresAt && timestampDate(expiresAt).getTime() <= Date.now()
    ? ['Grant.ExpiresAt must be in the future']
    : [];
}

/**
 * Grants a role. Whoever does so may give what the role gives, the role is there, and so is the subject: a member of the
 * tenant, a group or a bot. That users and bots exist at all was asked before.
 */
export async function grant(em: EntityManager, sent: SentGrant, call: Call): Promise<void> {
  const { tenant, role, expiresAt } = sent;
  const end = expiresAt ? timestampDate(expiresAt) : null;
  // First of all locks, like everywhere: who deletes the subject holds it while it looks at tenants.
  if (sent.subjectType !== 'group') await lockSubject(em, sent.subject);
  await lockOwners(em, sent);
  const key = await keyOf(em, sent);
  // On the platform there are the built-in roles only.
  if (tenant !== '') await assertRole(em, role);
  else if (!isBuiltIn(role)) throw notFound('role');
  await assertMayConfer(em, call.caller, tenant, [role]);
  if (end) await assertOwned(em, sent);
  await addGrant(em, call, key, end);
}

/** Takes a role back. Only an owner takes ownership from anybody, and the last owner stays one. */
export async function withdraw(em: EntityManager, sent: SentGrant, call: Call): Promise<void> {
  const { tenant, subjectType, subject, role, resource } = sent;
  await lockOwners(em, sent);
  const key = subjectType === 'group' ? await groupSubject(em, tenant, subject) : { subject };
  if (isBuiltIn(role) && (role === ownerRole || tenant === ''))
    await assertMayTouch(em, call.caller, tenant, [role]);
  await assertOwned(em, sent);
  await removeGrant(em, call, { tenant, subjectType, ...key, role, resource });
}

/** Who is the last owner depends on all owners: they are changed one after the other. */
async function lockOwners(em: EntityManager, { tenant, role }: SentGrant): Promise<void> {
  if (tenant !== '' && role === ownerRole) await lockTenant(em, tenant);
}

/** Throws where the tenant would be left without an owner for good. */
async function assertOwned(
  em: EntityManager,
  { tenant, subjectType, subject, role, resource }: SentGrant,
): Promise<void> {
  if (tenant === '' || subjectType !== 'user' || role !== ownerRole || resource !== '') return;
  const run = inTransaction(em);
  if (
    (await countOtherOwners(run, tenant, subject)) === 0 &&
    (await ownsForGood(run, tenant, subject))
  )
    throw failedPrecondition('the last owner of a tenant cannot be removed', 'LAST_OWNER');
}

/** How a group is stored in its grants, and what the API calls it: a request may spell its path in another way. */
async function groupSubject(
  em: EntityManager,
  tenant: string,
  path: string,
): Promise<Pick<GrantKey, 'subject' | 'name'>> {
  const group = tenant === '' ? null : await em.findOne(GroupEntity, { key: pathKey(path) });
  return { subject: pathKey(path), name: group?.path ?? path };
}

/** The grant's key, once its subject cannot go away any more before this transaction ends. */
async function keyOf(
  em: EntityManager,
  { tenant, subjectType, subject, role, resource }: SentGrant,
): Promise<GrantKey> {
  const key = { tenant, subjectType, subject, role, resource };
  if (subjectType === 'group') {
    const group =
      tenant === ''
        ? null
        : await em.findOne(
            GroupEntity,
            { key: pathKey(subject) },
            { lockMode: LockMode.PESSIMISTIC_WRITE },
          );
    if (!group) throw notFound('group');
    return { ...key, subject: group.key, name: group.path };
  }
  if (subjectType === 'user' && tenant !== '') {
    const member = await em.findOne(
      TenantMemberEntity,
      { userId: subject, status: { $ne: 'barred' } },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (!member) throw notFound('tenant member');
    return key;
  }
  await assertPresent(em, subject, subjectType);
  return key;
}
