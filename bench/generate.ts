import { readFileSync } from 'node:fs';
import { parseKeyRing } from '@bailiwick/keys';
import { createPager } from '@bailiwick/pipeline';
import type { Stack } from '@bailiwick/test/support/harness.ts';
import { rowsOf } from '@bailiwick/test/support/store.ts';

// Rows by the thousand and million, written directly to the database: the benches measure reads
// among them.

/** An identifier in SQL that ascends with `n`, like identifiers made one after the other. */
export const id = (prefix: string, n: string): string =>
  `'${prefix}_00000000' || lpad((${n})::text, 18, '0')`;

/** Users with a verified address, all or the first of them members of `tenant`. */
export async function fillUsers(
  stack: Stack,
  tenant: string,
  count: number,
  members = count,
): Promise<void> {
  await rowsOf(
    stack,
    `insert into identity.user_account
     select (jsonb_populate_record(null::identity.user_account, to_jsonb(u) || jsonb_build_object(
       'id', ${id('usr', 'n')}, 'email', 'p' || n || '@example.com', 'email_key', 'p' || n || '@example.com'))).*
     from (select * from identity.user_account limit 1) u cross join generate_series(1, $1::int) n`,
    [count],
  );
  await rowsOf(
    stack,
    `insert into access.tenant_member (tenant, user_id, status, source, joined_at, email_key, described_at)
     select $2, ${id('usr', 'n')}, 'active', 'admin', now(), 'p' || n || '@example.com', now() from generate_series(1, $1::int) n`,
    [members, tenant],
  );
  await analyse(stack, 'identity.user_account', 'access.tenant_member');
}

/**
 * Tenants with five members each, taken from `fillUsers`, three groups, two roles and six grants.
 */
export async function fillTenants(stack: Stack, count: number): Promise<void> {
  const [tenant, each] = [id('tnt', 't'), 'generate_series(1, $1::int) t'];
  for (const statement of [
    `insert into access.tenant (id, slug, name, status, settings, metadata, created_by, created_at, updated_at)
     select ${tenant}, 'filled-' || t, 'Filled', 'active', '{}', '{}', 'nobody', now(), now() from ${each}`,
    `insert into access.tenant_member (tenant, user_id, status, source, joined_at)
     select ${tenant}, ${id('usr', '(t * 5 + n)')}, 'active', 'admin', now() from ${each} cross join generate_series(1, 5) n`,
    `insert into access.group_entry (tenant, id, path, key, ancestor_keys, name, description, external_id, source, metadata, created_at, updated_at)
     select ${tenant}, ${id('grp', '(t * 3 + n)')}, 'g' || n, 'g' || n, array['g' || n], '', '', '', 'api', '{}', now(), now()
     from ${each} cross join generate_series(1, 3) n`,
    `insert into access.role_entry (tenant, id, slug, name, description, permissions, created_at, updated_at)
     select ${tenant}, ${id('rol', '(t * 2 + n)')}, 'role-' || n, '', '', array['app.x.read'], now(), now() from ${each} cross join generate_series(1, 2) n`,
    `insert into access.grant_entry (tenant, id, subject_type, subject, role, resource, created_by, created_at)
     select ${tenant}, ${id('grt', '(t * 5 + n)')}, 'user', ${id('usr', '(t * 5 + n)')}, 'member', '', 'nobody', now() from ${each} cross join generate_series(1, 5) n`,
    `insert into access.grant_entry (tenant, id, subject_type, subject, role, resource, created_by, created_at)
     select ${tenant}, ${id('ggr', 't')}, 'group', 'g1', 'role-1', '', 'nobody', now() from ${each}`,
  ])
    await rowsOf(stack, statement, [count]);
  await analyse(
    stack,
    'access.tenant',
    'access.tenant_member',
    'access.group_entry',
    'access.role_entry',
    'access.grant_entry',
  );
}

/** Audit entries of a tenant, as copies of its newest one. Their hashes form no valid chain. */
export async function fillAudit(stack: Stack, tenant: string, count: number): Promise<void> {
  await rowsOf(
    stack,
    `insert into access.audit_entry
     select tenant, ${id('aud', 'n')}, e.seq + n, occurred_at, action, operation, result, code, actor_type, actor_id, credential_id, targets, target_ids,
       permission, grant_id, ip, user_agent, request_id, trace_id, changes, prev_hash, hash
     from (select * from access.audit_entry where tenant = $2 order by seq desc limit 1) e cross join generate_series(1, $1::int) n`,
    [count, tenant],
  );
  await analyse(stack, 'access.audit_entry');
}

/** The counts of a tenant's endpoints in each hour of 30 days. */
export async function fillDeliveryHours(
  stack: Stack,
  tenant: string,
  endpoints: number,
): Promise<void> {
  await rowsOf(
    stack,
    `insert into notifications.delivery_hour
     select $2, ${id('whk', 'e')}, date_trunc('hour', now()) - h * interval '1 hour', 100, 1, 1, 1000, 50
     from generate_series(1, $1::int) e cross join generate_series(0, 719) h`,
    [endpoints, tenant],
  );
  await analyse(stack, 'notifications.delivery_hour');
}

export async function analyse(
  database: Pick<Stack, 'databaseUrl'>,
  ...tables: string[]
): Promise<void> {
  for (const table of tables) await rowsOf(database, `vacuum analyze ${table}`);
}

/** The cursor of a list after a key, as a client holds it after reading that far. */
export function cursorAfter(stack: Stack, binding: readonly string[], key: string): string {
  return createPager(parseKeyRing(readFileSync(stack.wiring.secrets.keyRingFile, 'utf8'))).cursorAt(
    key,
    binding,
  );
}

/** The key of the n-th filled row. */
export const filledId = (prefix: string, n: number): string =>
  `${prefix}_00000000${String(n).padStart(18, '0')}`;
