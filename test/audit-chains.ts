import { readFileSync } from 'node:fs';
import { appendEntries } from '@bailiwick/access/audit/append.ts';
import { entryOf } from '@bailiwick/access/audit/chain.ts';
import { pruneAudit } from '@bailiwick/access/audit/prune.ts';
import { accessSchema } from '@bailiwick/access/schema.ts';
import { createId } from '@bailiwick/shared/ids.ts';
import { createLog } from '@bailiwick/shared/log.ts';
import { openDatabase } from '@bailiwick/shared/orm.ts';
import type { AuditDraft } from '@bailiwick/shared/outbox.ts';
import { parseKeyRing } from '@bailiwick/shared/seal.ts';
import { bodyOf } from './answers.ts';
import { eventually, type Stack } from './harness.ts';
import { tenantFor } from './people.ts';
import { rowsOf } from './store.ts';

// Audit chains whose entries have any age, written as the service writes them.

export const dayMs = 24 * 60 * 60 * 1000;

/** The ages, in days, of so many young entries. */
export const recent = (count: number): number[] => Array.from({ length: count }, () => 1);

export type Chains = ReturnType<typeof openChains>;

export function openChains(stack: Stack, ownerId: string) {
  const log = createLog('test', () => {});
  const database = openDatabase({
    service: 'access',
    url: stack.databaseUrl,
    entities: accessSchema.entities,
    poolSize: 2,
    log,
  });
  const keyRing = () => parseKeyRing(readFileSync(stack.wiring.secrets.keyRingFile, 'utf8'));

  const draft = (Tenant: string, at: Date): AuditDraft => ({
    ID: createId('aud'),
    Tenant,
    OccurredAt: at.toISOString(),
    Action: 'group.created',
    Operation: 'Groups_Save',
    Result: 'success',
    Code: '',
    ActorType: 'user',
    ActorID: ownerId,
    CredentialID: '',
    Targets: [{ Type: 'group', ID: createId('grp'), Name: 'eng' }],
    Permission: '',
    GrantID: '',
    IP: '127.0.0.1',
    UserAgent: '=cmd()',
    RequestID: '',
    TraceID: '',
    Changes: [{ Field: 'Name', Old: 'a', New: 'b' }],
  });

  /** Adds entries of these ages, in days, to the end of a chain. */
  const add = (tenant: string, ages: readonly number[]) =>
    appendEntries(
      database,
      ages.map((age) => entryOf(draft(tenant, new Date(Date.now() - age * dayMs)))),
    );

  /** Begins a chain anew with entries of these ages: old entries cannot follow new ones. */
  async function rewrite(tenant: string, ages: readonly number[]): Promise<void> {
    await rowsOf(stack, 'delete from access.audit_entry where tenant = $1', [tenant]);
    await rowsOf(stack, `update access.audit_head set seq = 0, hash = '' where tenant = $1`, [
      tenant,
    ]);
    await add(tenant, ages);
  }

  /** A tenant whose chain has entries of these ages only. */
  async function tenantWith(ages: readonly number[]): Promise<string> {
    // A person may create ten tenants without the platform.
    const tenant = await tenantFor(stack, ownerId);
    const verify = () => stack.call('Audit_Verify', { Tenant: tenant }, stack.platformKey);
    await eventually(
      'the entries of its making',
      async () => Number(bodyOf(await verify())['Seq']) >= 3,
    );
    await rewrite(tenant, ages);
    return tenant;
  }

  const prune = () => pruneAudit({ database, keyRing: keyRing(), retentionDays: 400, log });
  return {
    database,
    keyRing,
    draft,
    add,
    rewrite,
    tenantWith,
    prune,
    close: () => database.close(),
  };
}
