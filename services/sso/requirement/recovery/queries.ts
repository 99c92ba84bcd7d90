import type { Database, Statement, Transaction } from '@bailiwick/store';

const tenantOf: Statement<{ tenant: string }, [codeHash: Uint8Array]> = {
  name: 'sso.tenant_of_recovery_code',
  text: 'select tenant from sso_recovery_code where code_hash = $1',
  across: 'finds the tenant of a recovery code, which is unique',
};

/** The tenant of an unused code. */
export async function findTenantOf(
  database: Database,
  codeHash: Uint8Array,
): Promise<string | undefined> {
  const [row] = await database.query(tenantOf, [codeHash]);
  return row?.tenant;
}

/** Replaces the codes of a tenant. */
export async function replaceCodes(
  tx: Transaction,
  tenant: string,
  hashes: readonly Uint8Array[],
): Promise<void> {
  await tx.query('delete from sso_recovery_code where tenant = $1', [tenant]);
  await tx.query(
    'insert into sso_recovery_code (code_hash, tenant, created_at) select unnest($2::bytea[]), $1, now()',
    [tenant, hashes],
  );
}

/** Uses a code up. Each works once: one of several calls wins. */
export async function useCode(
  tx: Transaction,
  tenant: string,
  codeHash: Uint8Array,
): Promise<boolean> {
  const rows = await tx.query(
    'delete from sso_recovery_code where tenant = $1 and code_hash = $2 returning tenant',
    [tenant, codeHash],
  );
  return rows.length > 0;
}

const state: Statement<StoredRequirement, [tenant: string]> = {
  name: 'sso.requirement_state',
  text: `select
           exists (select from domain d where d.tenant = $1 and d.status = 'verified' and d.capture = 'require_sso') as "byDomain",
           (select l.until from sso_lift l where l.tenant = $1 and l.until > now()) as "liftedUntil",
           (select count(*)::int from sso_recovery_code c where c.tenant = $1) as "codesLeft",
           (select min(c.created_at) from sso_recovery_code c where c.tenant = $1) as "createdAt"`,
};

/** The requirement of a tenant's domains, its lift, and its unused recovery codes. */
type StoredRequirement = {
  byDomain: boolean;
  liftedUntil: string | null;
  codesLeft: number;
  createdAt: string | null;
};

export async function findRequirement(
  database: Database,
  tenant: string,
): Promise<StoredRequirement> {
  const [row] = await database.query(state, [tenant]);
  if (!row) throw new Error('the state of a requirement has no row');
  return row;
}
