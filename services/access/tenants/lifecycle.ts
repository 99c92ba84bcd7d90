import { denied, failedPrecondition } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { Tenant } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import type { Database } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { rowOf } from '../rows.ts';
import { TenantEntity, toTenant } from './entities.ts';
import { changeTenant, tenantToChange } from './update.ts';

// Statuses of a tenant. Decisions count active tenants only, so each change takes effect at once.

/** Closes a tenant. It is purged when its grace period ends. */
export function deleteTenant(
  database: Database,
  id: string,
  graceSeconds: number,
  call: Call,
): Promise<void> {
  return database.transaction({ call, tenant: id, row: rowOf.tenant(id) }, async (tx) => {
    const tenant = await tx.em.findOne(
      TenantEntity,
      { id },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    // Even if the status stays: the call that has set it may not have replied yet.
    call.invalidates.add(`tenant:${id}`);
    if (!tenant || tenant.status === 'deleting') return;
    // The tenant was suspended after the call was authorised.
    if (tenant.status !== 'active' && call.allowedBy?.kind !== 'platform') throw denied();
    await changeTenant(tx, 'tenant.deleted', tenant, () => {
      tenant.status = 'deleting';
      tenant.purgeAt = new Date(Date.now() + graceSeconds * 1000);
    });
  });
}

export function suspendTenant(database: Database, id: string, call: Call): Promise<Tenant> {
  return move(database, id, { from: 'active', to: 'suspended' }, call);
}

export function resumeTenant(database: Database, id: string, call: Call): Promise<Tenant> {
  return move(database, id, { from: 'suspended', to: 'active' }, call);
}

export function restoreTenant(database: Database, id: string, call: Call): Promise<Tenant> {
  return move(database, id, { from: 'deleting', to: 'active' }, call);
}

function move(
  database: Database,
  id: string,
  { from, to }: { from: string; to: string },
  call: Call,
): Promise<Tenant> {
  return database.transaction({ call, tenant: id, row: rowOf.tenant(id) }, async (tx) => {
    const tenant = await tenantToChange(tx, id, call);
    if (tenant.status !== from && tenant.status !== to)
      throw failedPrecondition(`the tenant is ${tenant.status}`, 'TENANT_STATUS', {
        Status: tenant.status,
      });
    await changeTenant(tx, 'tenant.updated', tenant, () => {
      tenant.status = to;
      tenant.purgeAt = null;
    });
    // Even if the status stays: the call that has set it may not have replied yet.
    call.invalidates.add(`tenant:${id}`);
    return toTenant(tenant);
  });
}
