import { serviceOrigin } from '@bailiwick/contract';
import { record } from '@bailiwick/outbox';
import {
  type Background,
  purgeBatch,
  repeat,
  tablesOfTenants,
  tenantPurged,
} from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import { type Database, purgeCounts, type ServiceSchema, type Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { TenantEntity } from '../tenants/entities.ts';
import { deleteOrphans, findPurgeable } from './queries.ts';
import { finishRemovals } from './removal.ts';

const longestIntervalMs = 60_000;

/** Audit tables, which outlive the tenant. The service's role could not delete them. */
const auditTables = ['audit_entry', 'audit_head', 'audit_checkpoint'];

type Deps = { database: Database; schema: ServiceSchema; graceSeconds: number; log: Log };

/**
 * Purges deleted tenants after their grace period, and the rows of deleted users and bots. Safe to
 * run in several processes.
 */
export function startPurger({ database, schema, graceSeconds, log }: Deps): Background {
  async function round(): Promise<void> {
    for (const id of await findPurgeable(database)) {
      // A failure for one tenant must not delay the others.
      const failed = (error: unknown) =>
        log.error('purging a tenant failed, retrying', { tenant: id, error });
      await database
        .transaction({ call: serviceOrigin('access'), tenant: id }, (tx) =>
          purgeTenant(tx, schema, id),
        )
        .catch(failed);
    }
    await database.transaction({ call: serviceOrigin('access'), tenant: null }, deleteOrphans);
    await finishRemovals(database, log);
  }
  // With a short grace period, the interval is short too.
  const everyMs = Math.min(longestIntervalMs, graceSeconds * 250);
  return repeat({
    everyMs,
    log,
    failed: 'purging deleted tenants and subjects failed, retrying',
    work: round,
  });
}

async function purgeTenant(tx: Transaction, schema: ServiceSchema, id: string): Promise<void> {
  // Skips a tenant that was restored or purged since the query.
  const tenant = await tx.em.findOne(
    TenantEntity,
    { id, status: 'deleting', purgeAt: { $lte: new Date() } },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!tenant) return;
  for (const table of tablesOfTenants(schema, auditTables)) while (await purgeBatch(tx, table, id));
  await purgeCounts(tx, id);
  await tx.em.nativeDelete(TenantEntity, { id });
  const targets = [{ Type: 'tenant', ID: id, Name: tenant.name }];
  record(
    tx,
    {
      tenant: id,
      type: tenantPurged,
      data: { ID: id, Slug: tenant.slug, Name: tenant.name },
      targets,
    },
    serviceOrigin('access', 'Tenants_Delete'),
  );
}
