import { readFileSync } from 'node:fs';
import { appendEntries } from '@bailiwick/access/audit/append.ts';
import { entryOf } from '@bailiwick/access/audit/chain.ts';
import { pruneAudit } from '@bailiwick/access/audit/prune.ts';
import { accessSchema } from '@bailiwick/access/schema.ts';
import { createId } from '@bailiwick/contract';
import { parseKeyRing } from '@bailiwick/keys';
import type { AuditDraft } from '@bailiwick/outbox';
import { createLog } from '@bailiwick/process';
import { openDatabase } from '@bailiwick/store';
import { bodyOf } from './answers.ts';
import { eventually, type Stack } from './harness.ts';
import { tenantFor } from './people.ts';
import { rowsOf } from './store.ts';

// Audit chains with entries of any age, written in the format of the service.

export const dayMs = 24 * 60 * 60 * 1000;

/** The ages, in days, of `count` recent entries. */
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

  /** Appends entries of these ages, in days, to a chain. */
  const add = (tenant: string, ages: readonly number[]) =>
    appendEntries(
      database,
      ages.map((age) => entryOf(draft(tenant, new Date(Date.now() - age * dayMs)))),
    );

  /** Replaces a chain by entries of these ages, since old entries cannot follow new ones. */
  async function rewrite(tenant: string, ages: readonly number[]): Promise<void> {
    await rowsOf(stack, 'delete from access.audit_entry where tenant = $1', [tenant]);
    await rowsOf(stack, `update access.audit_head set seq = 0, hash = '' where tenant = $1`, [
      tenant,
    ]);
    await add(tenant, ages);
  }

  /** Creates a tenant whose chain has only entries of these ages. */
  async function tenantWith(ages: readonly number[]): Promise<string> {
    // The platform creates it, since a user may create only ten tenants.
    const tenant = await tenantFor(stack, ownerId);
    const verify = () => stack.call('Audit_Verify', { Tenant: tenant }, stack.platformKey);
    await eventually(
      'the entries of its creation',
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
