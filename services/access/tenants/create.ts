import { createId, encodeJson } from '@bailiwick/contract';
import { alreadyExists, denied, invalid, limitReached, notFound } from '@bailiwick/errors';
import { record } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import {
  type Tenant,
  TenantSchema,
  type TenantsCreateRequest,
} from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { type Database, lockName, type Transaction, violates } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { assertUser, type Directory } from '../directory.ts';
import { addGrant } from '../grants/entries.ts';
import { isTenantRole, ownerRole } from '../permissions/builtin.ts';
import { rowOf } from '../rows.ts';
import { assertStaying } from '../subjects/state.ts';
import { mergeBranding } from './branding.ts';
import { mergeSettings, type StoredSettings, TenantEntity, toTenant } from './entities.ts';
import { assertFactorProven } from './factor.ts';
import { startMembership } from './membership.ts';
import { countCreatedBy } from './queries.ts';
import { assertNotReserved } from './reserved-names.ts';
import { slugFromName, withSuffix } from './slug.ts';
import { assertMethodKept, assertSsoProven } from './sso.ts';

const tenantsPerPerson = 10;

export type CreateDeps = {
  database: Database;
  directory: Directory;
  tenantCreation: boolean;
  reservedNames: readonly string[];
};

/** Creates a tenant with its owner, both or neither. */
export async function createTenant(
  deps: CreateDeps,
  request: TenantsCreateRequest,
  call: Call,
): Promise<Tenant> {
  const input = request.tenant ?? create(TenantSchema);
  const { owner, ownTenant } = await ownerOf(deps, request.ownerId ?? '', call);
  assertNotReserved(deps.reservedNames, input, {}, call);
  assertDefaultRole(input.settings?.defaultRole ?? '');
  // A new tenant has no groups yet.
  if (input.settings?.scimGroupParent) throw notFound('group');
  if (input.settings?.requireSso) assertSsoProven(call.caller, '');
  const now = Date.now();
  const settings = mergeSettings({}, input.settings, now);
  assertMethodKept(call.caller, '', settings.allowedMethods);
  assertFactorProven(call.caller, { tenant: '', before: undefined, after: settings.factor, now });
  for (let slug = input.slug || slugFromName(input.name), attempt = 1; ; attempt++) {
    try {
      return await insertTenant(deps.database, { input, settings, slug, owner, ownTenant }, call);
    } catch (error) {
      if (!violates(error, 'tenant_slug')) throw error;
      if (input.slug || attempt === 5) throw alreadyExists('Tenant.Slug is taken');
      slug = withSuffix(slugFromName(input.name));
    }
  }
}

/**
 * The owner of the new tenant, and whether it counts towards the tenants that a user may create.
 */
async function ownerOf(
  deps: CreateDeps,
  ownerId: string,
  call: Call,
): Promise<{ owner: string; ownTenant: boolean }> {
  const { caller, allowedBy } = call;
  const forOneself = caller.type === 'user' && (ownerId === '' || ownerId === caller.id);
  if (allowedBy?.kind === 'platform' && !forOneself) {
    if (ownerId === '') throw invalid('OwnerID is required');
    await assertUser(deps.directory, ownerId, call);
    return { owner: ownerId, ownTenant: false };
  }
  if (!forOneself) throw denied();
  if (allowedBy?.kind === 'platform') return { owner: caller.id, ownTenant: false };
  if (!deps.tenantCreation)
    throw denied('users cannot create tenants on this installation', 'TENANT_CREATION_OFF');
  if (caller.email === '') throw denied('email is not verified', 'EMAIL_NOT_VERIFIED');
  return { owner: caller.id, ownTenant: true };
}

/**
 * New members get this role without any further check. A new tenant has no roles of its own yet.
 */
function assertDefaultRole(role: string): void {
  if (role !== '' && !isTenantRole(role)) throw notFound('role');
}

type NewTenant = {
  input: Tenant;
  settings: StoredSettings;
  slug: string;
  owner: string;
  ownTenant: boolean;
};

function insertTenant(
  database: Database,
  { input, settings, slug, owner, ownTenant }: NewTenant,
  call: Call,
): Promise<Tenant> {
  const id = createId('tnt');
  return database.transaction({ call, tenant: id, row: rowOf.tenantsOf(owner) }, async (tx) => {
    await assertStaying(tx, owner);
    if (ownTenant) await assertMayHaveAnother(tx, owner);
    const now = new Date();
    const tenant = tx.em.create(TenantEntity, {
      id,
      slug,
      name: input.name,
      status: 'active',
      settings,
      branding: mergeBranding({}, input.branding),
      metadata: { ...input.metadata?.items },
      createdBy: call.caller.id,
      createdAt: now,
      updatedAt: now,
      purgeAt: null,
      ssoLiftedUntil: null,
    });
    tx.em.persist(tenant);
    const created = toTenant(tenant);
    const targets = [{ Type: 'tenant', ID: id, Name: input.name }];
    record(tx, {
      tenant: id,
      type: 'tenant.created',
      data: encodeJson(TenantSchema, created),
      targets,
    });
    await startMembership(tx, { tenant: id, userId: owner, source: 'creator' });
    await addGrant(tx, call, { tenant: id, subjectType: 'user', subject: owner, role: ownerRole });
    return created;
  });
}

async function assertMayHaveAnother(tx: Transaction, userId: string): Promise<void> {
  // Without the lock, two concurrent creations could both pass the limit.
  await lockName(tx, rowOf.tenantsOf(userId));
  if ((await countCreatedBy(tx.query, userId)) >= tenantsPerPerson)
    throw limitReached(`a person can create at most ${tenantsPerPerson} tenants`, tenantsPerPerson);
}
