import { readStatement, type Term } from './equalities.ts';

/** The tables with tenants, and the columns of their primary keys. */
export type TenantTables = ReadonlyMap<string, readonly string[]>;

/**
 * Which tenants' rows a statement can reach:
 * - `given`: every table is limited to a tenant that a parameter or a constant names,
 * - `each`: any tenant's, but rows that meet in a join or subquery are of the same tenant,
 * - `any`: no condition keeps the rows of different tenants apart.
 */
export type Reach = 'given' | 'each' | 'any';

/** The reach of a statement; undefined if it uses no table with tenants. */
export function reachOf(text: string, tables: TenantTables): Reach | undefined {
  const { uses, equalities } = readStatement(text, (table) => tables.has(table));
  const tenants = uses.filter(({ table }) => tables.has(table)).map(({ use }) => `${use}.tenant`);
  if (tenants.length === 0) return undefined;

  const keyOf = (term: Term) => {
    const [use, column = ''] = term.split('.');
    const table = uses.find((one) => one.use === use)?.table ?? '';
    return tables.get(table)?.join() === column ? `${table}.${column}` : undefined;
  };
  const tenantOf = (term: Term) => term.replace(/\..*/, '.tenant');
  // Rows with the same primary key are one row, of one tenant.
  const terms = equalities.map(({ term, origins }) =>
    origins.length === 1 && keyOf(term) !== undefined && keyOf(term) === keyOf(origins[0] ?? '')
      ? { term: tenantOf(term), origins: origins.map(tenantOf) }
      : { term, origins },
  );

  const limited = new Set<Term>();
  const groups = new Map<Term, Term>();
  const groupOf = (term: Term) => groups.get(term) ?? term;
  // Once for each equality, because any of them may need all others first.
  for (const _ of terms) {
    for (const { term, origins } of terms) {
      if (origins.every((one) => limited.has(one))) limited.add(term);
      const joined = [term, ...origins].map(groupOf).sort();
      for (const one of [...joined, term, ...origins]) groups.set(one, joined[0] ?? '');
    }
  }
  if (tenants.every((tenant) => limited.has(tenant))) return 'given';
  return new Set(tenants.map(groupOf)).size === 1 ? 'each' : 'any';
}
