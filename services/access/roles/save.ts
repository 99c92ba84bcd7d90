import {
  assertUnchanged,
  changedFields,
  createId,
  encodeJson,
  includes,
  type JsonObject,
  permissions,
  timeAfter,
} from '@bailiwick/contract';
import {
  failedPrecondition,
  limitReached,
  notFound,
  type Problem,
  problem,
} from '@bailiwick/errors';
import { record } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import {
  type Role,
  RoleSchema,
  type RolesSaveRequest,
} from '@bailiwick/proto/gen/bailiwick/access/v1/roles_pb.ts';
import { lockName, type Transaction } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { LockMode } from '@mikro-orm/core';
import { assertMayGrantPermissions } from '../decisions/delegation.ts';
import { removeGrantsOfRole } from '../grants/entries.ts';
import { rolesPerTenant } from '../limits.ts';
import { isBuiltIn, isTenantRole } from '../permissions/builtin.ts';
import { rowOf } from '../rows.ts';
import { RoleEntity, type RoleRow, toRole } from './entities.ts';
import { findRoleUse } from './queries.ts';

/** Validation errors of a role. A misspelt built-in permission would be stored and never match. */
export function roleProblems({ role }: RolesSaveRequest): Problem[] {
  const unknown = (role?.permissions?.items ?? []).filter(
    (pattern) =>
      pattern.startsWith('iam.') &&
      !permissions.some((permission) => includes([pattern], permission)),
  );
  return unknown.map((pattern) =>
    problem('Role.Permissions', 'permission', `${pattern} is not a built-in permission`),
  );
}

/**
 * Creates the role of this tenant and slug, or changes the fields that were sent. Saving unchanged
 * values changes nothing.
 */
export async function saveRole(
  tx: Transaction,
  request: RolesSaveRequest,
  call: Call,
): Promise<void> {
  const input = request.role ?? create(RoleSchema);
  const { tenant, slug } = input;
  assertOwnRole(slug);
  // For two concurrent first saves of one slug, the second finds the role of the first and updates
  // it.
  await lockName(tx, rowOf.role(tenant, slug));
  const stored = await tx.em.findOne(
    RoleEntity,
    { slug },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  assertUnchanged('the role', stored, request.ifUpdatedAt);
  const before = stored?.permissions ?? [];
  const after = input.permissions?.items ?? before;
  const removed = before.filter((permission) => !after.includes(permission));
  // A role that is not granted takes nothing from its holders.
  const isHeld = removed.length > 0 && (await findRoleUse(tx.query, tenant, slug)).granted;
  await assertMayGrantPermissions(tx, call.caller, tenant, {
    added: after.filter((permission) => !before.includes(permission)),
    removed: isHeld ? removed : [],
  });
  if (!stored) return insertRole(tx, input);
  const old = encode(stored);
  applyTo(stored, input);
  const previous = changedFields(old, encode(stored));
  // Even if nothing changes: another call with the same values may not have replied yet.
  call.invalidates.add(`tenant:${tenant}`);
  if (Object.keys(previous).length === 0) return;
  stored.updatedAt = timeAfter(stored.updatedAt);
  recordRole(tx, 'role.updated', stored, previous);
}

/** Deletes a role that is not granted, not the default role and not in a pending invitation. */
export async function deleteRole(
  tx: Transaction,
  { tenant, slug }: { tenant: string; slug: string },
): Promise<void> {
  assertOwnRole(slug);
  // A concurrent grant of the role locks this row: the deletion waits, and then finds the grant.
  const stored = await tx.em.findOne(
    RoleEntity,
    { slug },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!stored) return;
  const use = await findRoleUse(tx.query, tenant, slug);
  if (use.granted) throw failedPrecondition('the role is granted', 'ROLE_IN_USE');
  if (use.default) throw failedPrecondition("the role is the tenant's default role", 'ROLE_IN_USE');
  if (use.invited) throw failedPrecondition('a pending invitation names the role', 'ROLE_IN_USE');
  await removeGrantsOfRole(tx, tenant, slug);
  tx.em.remove(stored);
  recordRole(tx, 'role.deleted', stored);
}

/**
 * Throws not_found unless the role can be granted in the tenant of `em`. Locks the role until the
 * transaction ends.
 */
export async function assertRole(tx: Transaction, slug: string): Promise<void> {
  if (isTenantRole(slug)) return;
  if (!(await tx.em.findOne(RoleEntity, { slug }, { lockMode: LockMode.PESSIMISTIC_READ })))
    throw notFound('role');
}

/**
 * Returns the roles among `slugs` that can be granted in the tenant of `em`, and locks them until
 * the transaction ends.
 */
export async function lockRoles(tx: Transaction, slugs: readonly string[]): Promise<Set<string>> {
  // In sorted order, so that two calls never deadlock.
  const own = await tx.em.find(
    RoleEntity,
    { slug: { $in: [...new Set(slugs)] } },
    { lockMode: LockMode.PESSIMISTIC_READ, orderBy: { slug: 'asc' } },
  );
  return new Set(
    slugs.filter((slug) => isTenantRole(slug) || own.some((role) => role.slug === slug)),
  );
}

function assertOwnRole(slug: string): void {
  if (isBuiltIn(slug)) throw failedPrecondition('a built-in role cannot be changed', 'SYSTEM_ROLE');
}

async function insertRole(tx: Transaction, input: Role): Promise<void> {
  if ((await tx.em.count(RoleEntity, { tenant: input.tenant })) >= rolesPerTenant)
    throw limitReached(`a tenant has at most ${rolesPerTenant} roles of its own`, rolesPerTenant);
  const now = new Date();
  const role = tx.em.create(RoleEntity, {
    tenant: input.tenant,
    id: createId('rol'),
    slug: input.slug,
    name: '',
    description: '',
    permissions: [],
    createdAt: now,
    updatedAt: now,
  });
  applyTo(role, input);
  tx.em.persist(role);
  recordRole(tx, 'role.created', role);
}

// Fields that were not sent keep their values.
function applyTo(role: RoleRow, input: Role): void {
  role.name = input.name ?? role.name;
  role.description = input.description ?? role.description;
  if (input.permissions) role.permissions = [...new Set(input.permissions.items)];
}

const encode = (row: RoleRow) => encodeJson(RoleSchema, toRole(row));

function recordRole(tx: Transaction, type: string, role: RoleRow, previous: JsonObject = {}): void {
  record(tx, {
    tenant: role.tenant,
    type,
    data: encode(role),
    previous,
    targets: [{ Type: 'role', ID: role.id, Name: role.slug }],
  });
}
