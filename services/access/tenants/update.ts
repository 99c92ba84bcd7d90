import {
  assertRecentLogin,
  assertUnchanged,
  changedFields,
  encodeJson,
  holdsOnPlatform,
  type JsonObject,
  timeAfter,
} from '@bailiwick/contract';
import { alreadyExists, denied, failedPrecondition, notFound } from '@bailiwick/errors';
import { record } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import {
  type Tenant,
  type TenantChange,
  TenantSchema,
  type TenantsUpdateRequest,
} from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { type Database, type Transaction, violates } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { assertMayGrant } from '../decisions/delegation.ts';
import { memberRole } from '../permissions/builtin.ts';
import { assertRole } from '../roles/save.ts';
import { rowOf } from '../rows.ts';
import { mergeBranding } from './branding.ts';
import {
  mergeSettings,
  type StoredSettings,
  TenantEntity,
  type TenantRow,
  toTenant,
} from './entities.ts';
import { assertFactorProven } from './factor.ts';
import { keepLogo } from './keep-logo.ts';
import { hasOwner } from './owners/queries.ts';
import { assertNotReserved } from './reserved-names.ts';
import { assertScimParent } from './scim-parent.ts';
import { assertMethodKept, assertSsoProven } from './sso.ts';

/** Changes the fields that were sent. Saving unchanged values changes nothing. */
export async function updateTenant(
  { database, reservedNames }: { database: Database; reservedNames: readonly string[] },
  { tenant: change, ifUpdatedAt }: TenantsUpdateRequest,
  call: Call,
): Promise<Tenant> {
  if (!change) throw new Error('the tenant is missing although the request is valid');
  try {
    return await database.transaction(
      { call, tenant: change.id, row: rowOf.tenant(change.id) },
      async (tx) => {
        const stored = await tenantToChange(tx, change.id, call);
        if (stored.status === 'deleting')
          throw failedPrecondition('the tenant is being deleted', 'TENANT_DELETING');
        assertUnchanged('the tenant', stored, ifUpdatedAt);
        await assertOwned(tx, change.id, call);
        assertNotReserved(reservedNames, change, stored, call);
        await assertDefaultRole(tx, stored, change, call);
        await assertScimParent(tx, stored, change, call);
        const before = stored.settings;
        if (change.settings?.requireSso && !before.requireSso)
          assertSsoProven(call.caller, stored.id);
        const now = Date.now();
        const settings = mergeSettings(before, change.settings, now);
        if (change.settings?.allowedMethods)
          assertMethodKept(call.caller, change.id, settings.allowedMethods);
        assertFactorProven(call.caller, {
          tenant: stored.id,
          before: before.factor,
          after: settings.factor,
          now,
        });
        // Otherwise an attacker with an open session could switch this protection off first.
        if (change.settings?.recentLogin === false && before.recentLogin)
          assertRecentLogin(call.caller);
        await changeTenant(tx, 'tenant.updated', stored, () => applyTo(stored, change, settings));
        await keepLogo(tx, stored.id, change.branding?.logo);
        // Even if all fields keep their values: an earlier call may have set them.
        call.invalidates.add(`tenant:${stored.id}`);
        return toTenant(stored);
      },
    );
  } catch (error) {
    if (violates(error, 'tenant_slug')) throw alreadyExists('Tenant.Slug is taken');
    throw error;
  }
}

/** Only the platform changes a tenant without an owner. */
async function assertOwned(tx: Transaction, id: string, { caller }: Call): Promise<void> {
  if (holdsOnPlatform(caller, 'iam.platform.tenants.write')) return;
  if (!(await hasOwner(tx.query, id)))
    throw failedPrecondition(
      'the tenant has no owner: the platform must add one first',
      'NO_OWNER',
    );
}

/**
 * Locks the tenant until the transaction ends. If the caller's right is in the tenant and the
 * tenant was closed since, throws the error of a missing tenant.
 */
export async function tenantToChange(tx: Transaction, id: string, { allowedBy }: Call) {
  const tenant = await tx.em.findOne(
    TenantEntity,
    { id },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (allowedBy?.kind === 'tenant' && tenant?.status !== 'active') throw denied();
  if (!tenant) throw notFound('tenant');
  return tenant;
}

/** Applies a change and records it, if it changes a field. */
export async function changeTenant(
  tx: Transaction,
  type: string,
  tenant: TenantRow & { updatedAt: Date },
  change: () => void,
): Promise<void> {
  const before = encode(tenant);
  change();
  const previous = changedFields(before, encode(tenant));
  if (Object.keys(previous).length === 0) return;
  tenant.updatedAt = timeAfter(tenant.updatedAt);
  // Flushes here, so that a taken slug fails where it can be reported.
  await tx.em.flush();
  record(tx, {
    tenant: tenant.id,
    type,
    data: encode(tenant),
    previous,
    targets: [{ Type: 'tenant', ID: tenant.id, Name: tenant.name }],
  });
}

/**
 * The caller must be able to grant the new default role: new members get it without any further
 * check.
 */
async function assertDefaultRole(
  tx: Transaction,
  { id, settings }: TenantRow,
  change: TenantChange,
  call: Call,
): Promise<void> {
  const role = change.settings?.defaultRole;
  if (role === undefined || role === (settings.defaultRole ?? '')) return;
  if (role !== '') await assertRole(tx, role);
  await assertMayGrant(tx, call.caller, id, [role || memberRole]);
}

// Fields that were not sent keep their values.
function applyTo(tenant: TenantRow, change: TenantChange, settings: StoredSettings): void {
  tenant.slug = change.slug || tenant.slug;
  tenant.name = change.name ?? tenant.name;
  tenant.settings = settings;
  tenant.branding = mergeBranding(tenant.branding, change.branding);
  if (change.metadata) tenant.metadata = { ...change.metadata.items };
}

const encode = (row: TenantRow): JsonObject => encodeJson(TenantSchema, toTenant(row));
