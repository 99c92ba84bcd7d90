import {
  type Tenant,
  type TenantChange,
  TenantSchema,
  type TenantsUpdateRequest,
} from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { encodeJson, type JsonObject } from '@bailiwick/proto/json/encode.ts';
import { assertRecentLogin } from '@bailiwick/shared/caller.ts';
import { changedFields, timeAfter } from '@bailiwick/shared/changes.ts';
import type { Call } from '@bailiwick/shared/dispatch.ts';
import { alreadyExists, denied, failedPrecondition, notFound } from '@bailiwick/shared/errors.ts';
import { type Database, type EntityManager, violates } from '@bailiwick/shared/orm.ts';
import { recordChange } from '@bailiwick/shared/outbox.ts';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { LockMode } from '@mikro-orm/core';
import { assertMayConfer } from '../decisions/confer.ts';
import { memberRole } from '../roles/builtin.ts';
import { assertRole } from '../roles/save.ts';
import { mergeSettings, TenantEntity, type TenantRow, toTenant } from './entities.ts';
import { assertSsoProven } from './sso.ts';

/** What the gateways' memory of a member's rights rests on. */
const sessionSettings = [
  'requireSso',
  'recentLogin',
  'sessionIdleMinutes',
  'sessionMaxMinutes',
] as const;

/** Changes what the request carries. Saving what is stored already is no change. */
export async function updateTenant(
  database: Database,
  { tenant: sent, ifUpdatedAt }: TenantsUpdateRequest,
  call: Call,
): Promise<Tenant> {
  if (!sent) throw new Error('validation fills the record in');
  const unchangedSince = ifUpdatedAt && timestampDate(ifUpdatedAt).getTime();
  try {
    return await database.transaction({ tenant: sent.id, row: `tenant ${sent.id}` }, async (em) => {
      const stored = await tenantToChange(em, sent.id, call);
      if (stored.status === 'deleting')
        throw failedPrecondition('the tenant is being deleted', 'TENANT_DELETING');
      if (unchangedSince !== undefined && stored.updatedAt.getTime() !== unchangedSince)
        throw failedPrecondition('the tenant was changed meanwhile', 'STALE');
      await assertDefaultRole(em, stored, sent, call);
      const before = stored.settings;
      if (sent.settings?.requireSso && !before.requireSso) assertSsoProven(call.caller, stored.id);
      // Otherwise whoever found a session open would switch off first what keeps them from the rest.
      if (sent.settings?.recentLogin === false && before.recentLogin)
        assertRecentLogin(call.caller);
      await changeTenant(em, 'tenant.updated', stored, call, () => applyTo(stored, sent));
      if (
        sessionSettings.some(
          (name) => (before[name] || undefined) !== (stored.settings[name] || undefined),
        )
      )
        call.outdated.add(`tenant:${stored.id}`);
      return toTenant(stored);
    });
  } catch (error) {
    if (violates(error, 'tenant_slug')) throw alreadyExists('Tenant.Slug is taken');
    throw error;
  }
}

/**
 * The tenant, which nobody else changes before the transaction ends. A caller who may by a right in the tenant is refused
 * where it was closed since, like in one that does not exist.
 */
export async function tenantToChange(em: EntityManager, id: string, { allowedBy }: Call) {
  const tenant = await em.findOne(TenantEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (allowedBy?.kind === 'tenant' && tenant?.status !== 'active') throw denied();
  if (!tenant) throw notFound('tenant');
  return tenant;
}

/** Makes a change and records it, if it is one. */
export async function changeTenant(
  em: EntityManager,
  type: string,
  tenant: TenantRow & { updatedAt: Date },
  call: Call,
  change: () => void,
): Promise<void> {
  const before = encode(tenant);
  change();
  const previous = changedFields(before, encode(tenant));
  if (Object.keys(previous).length === 0) return;
  tenant.updatedAt = timeAfter(tenant.updatedAt);
  // A slug that is taken is refused here, where it can still be told.
  await em.flush();
  recordChange(em, call, {
    tenant: tenant.id,
    type,
    data: encode(tenant),
    previous,
    targets: [{ Type: 'tenant', ID: tenant.id, Name: tenant.name }],
  });
}

/** Whoever decides which role new members get gives it to them, without anybody looking. */
async function assertDefaultRole(
  em: EntityManager,
  { id, settings }: TenantRow,
  sent: TenantChange,
  call: Call,
): Promise<void> {
  const role = sent.settings?.defaultRole;
  if (role === undefined || role === (settings.defaultRole ?? '')) return;
  if (role !== '') await assertRole(em, role);
  await assertMayConfer(em, call.caller, id, [role || memberRole]);
}

// What was not sent stays as it is.
function applyTo(tenant: TenantRow, sent: TenantChange): void {
  tenant.slug = sent.slug || tenant.slug;
  tenant.name = sent.name ?? tenant.name;
  tenant.settings = mergeSettings(tenant.settings, sent.settings);
  if (sent.metadata) tenant.metadata = { ...sent.metadata.items };
}

const encode = (row: TenantRow): JsonObject => encodeJson(TenantSchema, toTenant(row));
