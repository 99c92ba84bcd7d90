import type { Reader, Statement } from '@bailiwick/store';
import type { AuditRow } from '../entities.ts';
import {
  columns,
  type EntryFilter,
  type FilterValues,
  filtered,
  filterValues,
} from '../queries.ts';

// A page of a tenant's entries. A statement reads candidates through the index of one filter (its
// path), and compares them with the other filters. The number of candidates is limited, so a page
// costs the same however many entries there are, also if the filters together match nothing.

/** The index that a page reads. */
export type Path =
  | 'target'
  | 'actor'
  | 'ip'
  | 'action'
  | 'operation'
  | 'result'
  | 'shortPeriod'
  | 'period'
  | 'all';

const fits = `(${filtered} and ($11::text[] is null or operation = any ($11))) as fits`;

const candidate = (where: string) =>
  `select seq, occurred_at, ${fits} from audit_entry where tenant = $1 and ${where}`;

const sorted = (where: string, order: string) =>
  `${candidate(where)} order by ${order} limit $3::int`;

// Each value of a list is read for itself, in order, and the results are merged.
const merged = (values: string, where: string, order: string) =>
  `select c.* from unnest(${values}) as given (value) cross join lateral (${sorted(where, order)}) c order by ${order} limit $3::int`;

// Sorted after they are read: the planner may prefer to search all entries in their order.
const chosen = (where: string, order: string) =>
  `with chosen as materialized (${candidate(where)}) select * from chosen order by ${order} limit $3::int`;

// The keys of targets have the tenant in them. The planner would read all entries of the tenant
// beside their index, if both conditions were in one place.
const withTargets = (targetIds: string) =>
  `audit_target_keys(tenant, target_ids) && audit_target_keys($1, ${targetIds})`;
const byTarget = (where: string, order: string) =>
  `with by_target as materialized (select tenant, seq, occurred_at, ${fits} from audit_entry where ${withTargets('$6::text[]')})
   select seq, occurred_at, fits from by_target where tenant = $1 and ${where} order by ${order} limit $3::int`;

const pageOf = (candidates: string, order: string, outer: string) => `
  with candidate as materialized (${candidates}),
    match as materialized (select seq from candidate where fits order by ${order} limit $12::int),
    end_of_window as (select (select seq from candidate order by ${order} offset $3::int - 1 limit 1) as "lastSeq")
  select w."lastSeq", e.* from end_of_window w
  left join (select ${columns} from audit_entry where tenant = $1 and seq in (select seq from match)) e on true
  order by ${outer}`;

// A cursor is a sequence number on every path. If retention has dropped its entry, there is nothing
// older, and everything that is kept is newer.
const older = 'seq < coalesce($2::int, 2147483647)';
const newer = 'seq > coalesce($2::int, 0)';
const newest = (candidates: string) => pageOf(candidates, 'seq desc', 'e.seq desc');
const oldest = (candidates: string) => pageOf(candidates, 'seq', 'e.seq');

const actor = 'actor_id = value and';
const ip = 'ip = value and';
const action = 'action = value and';
const operation = 'operation = value and';
// The index of results has all but the successful ones.
const result = `result <> 'success' and result = value and`;
const period = `occurred_at >= coalesce($9::timestamptz, '-infinity') and occurred_at < coalesce($10::timestamptz, 'infinity') and`;

// The entries of a long period are in order of time, which differs from the order of the chain only
// where entries arrived late. All other pages are in the order of the chain. The comparison begins
// at the end of the period, because the index begins to read at one bound only.
const place = '(select p.occurred_at from audit_entry p where p.tenant = $1 and p.seq = $2::int)';
const earlier = `(occurred_at, seq) < (coalesce(${place}, case when $2::int is null then coalesce($10::timestamptz, 'infinity') else '-infinity' end), coalesce($2::int, 0))`;
const later = `(occurred_at, seq) > (coalesce(${place}, $9::timestamptz, '-infinity'), coalesce($2::int, 0))`;
const newestInTime = (candidates: string) =>
  pageOf(candidates, 'occurred_at desc, seq desc', 'e."occurredAt" desc, e.seq desc');
const oldestInTime = (candidates: string) =>
  pageOf(candidates, 'occurred_at, seq', 'e."occurredAt", e.seq');

const ofFewTargets = 'selects those of the tenant among the few entries with these targets';

type PageStatement = Statement<
  AuditRow & { id: string | null; lastSeq: number | null },
  [
    tenant: string,
    after: number | null,
    candidates: number,
    ...filter: FilterValues,
    operations: readonly string[] | null,
    limit: number,
  ]
>;

const newestFirst: Record<Path, PageStatement> = {
  target: {
    name: 'access.audit_list_target',
    text: newest(byTarget(older, 'seq desc')),
    between: ofFewTargets,
  },
  actor: {
    name: 'access.audit_list_actor',
    text: newest(merged('$5::text[]', `${actor} ${older}`, 'seq desc')),
  },
  ip: {
    name: 'access.audit_list_ip',
    text: newest(merged('array[$7::text]', `${ip} ${older}`, 'seq desc')),
  },
  action: {
    name: 'access.audit_list_action',
    text: newest(merged('$4::text[]', `${action} ${older}`, 'seq desc')),
  },
  operation: {
    name: 'access.audit_list_operation',
    text: newest(merged('$11::text[]', `${operation} ${older}`, 'seq desc')),
  },
  result: {
    name: 'access.audit_list_result',
    text: newest(merged('array[$8::text]', `${result} ${older}`, 'seq desc')),
  },
  shortPeriod: {
    name: 'access.audit_list_short_period',
    text: newest(chosen(`${period} ${older}`, 'seq desc')),
  },
  period: {
    name: 'access.audit_list_period',
    text: newestInTime(sorted(`${period} ${earlier}`, 'occurred_at desc, seq desc')),
  },
  all: { name: 'access.audit_list_all', text: newest(sorted(older, 'seq desc')) },
};

const oldestFirst: Record<Path, PageStatement> = {
  target: {
    name: 'access.audit_list_target_oldest_first',
    text: oldest(byTarget(newer, 'seq')),
    between: ofFewTargets,
  },
  actor: {
    name: 'access.audit_list_actor_oldest_first',
    text: oldest(merged('$5::text[]', `${actor} ${newer}`, 'seq')),
  },
  ip: {
    name: 'access.audit_list_ip_oldest_first',
    text: oldest(merged('array[$7::text]', `${ip} ${newer}`, 'seq')),
  },
  action: {
    name: 'access.audit_list_action_oldest_first',
    text: oldest(merged('$4::text[]', `${action} ${newer}`, 'seq')),
  },
  operation: {
    name: 'access.audit_list_operation_oldest_first',
    text: oldest(merged('$11::text[]', `${operation} ${newer}`, 'seq')),
  },
  result: {
    name: 'access.audit_list_result_oldest_first',
    text: oldest(merged('array[$8::text]', `${result} ${newer}`, 'seq')),
  },
  shortPeriod: {
    name: 'access.audit_list_short_period_oldest_first',
    text: oldest(chosen(`${period} ${newer}`, 'seq')),
  },
  period: {
    name: 'access.audit_list_period_oldest_first',
    text: oldestInTime(sorted(`${period} ${later}`, 'occurred_at, seq')),
  },
  all: { name: 'access.audit_list_all_oldest_first', text: oldest(sorted(newer, 'seq')) },
};

type Order = { path: Path; oldestFirst: boolean };

export const statementOf = ({ path, ...order }: Order): PageStatement =>
  (order.oldestFirst ? oldestFirst : newestFirst)[path];

export type Window = Order & {
  after: string;
  filter: EntryFilter;
  /** The most entries to return. */
  limit: number;
  /** The most entries to compare with the filter. */
  candidates: number;
};

/**
 * The matches among the next candidates, and the last of these candidates, or nothing if there are
 * no further ones.
 */
export async function readWindow(
  reader: Reader,
  tenant: string,
  { after, filter, limit, candidates, ...order }: Window,
): Promise<{ rows: AuditRow[]; last: number | undefined }> {
  const entries = await reader.query(statementOf(order), [
    tenant,
    after === '' ? null : Number(after),
    candidates,
    ...filterValues(filter),
    filter.operations ?? null,
    limit,
  ]);
  return {
    rows: entries.filter(({ id }) => id !== null),
    last: entries[0]?.lastSeq ?? undefined,
  };
}

const periodSize: Statement<
  { size: number },
  [tenant: string, from: Date | null, to: Date | null, most: number]
> = {
  name: 'access.audit_period_size',
  text: `select count(*)::int as size from (
           select from audit_entry where tenant = $1
             and occurred_at >= coalesce($2::timestamptz, '-infinity') and occurred_at < coalesce($3::timestamptz, 'infinity')
           limit $4
         ) counted`,
};

/** The number of a tenant's entries in the filter's period, counted up to `most`. */
export async function countPeriod(
  reader: Reader,
  tenant: string,
  { from, to }: EntryFilter,
  most: number,
): Promise<number> {
  const [row] = await reader.query(periodSize, [tenant, from, to, most]);
  return row?.size ?? 0;
}

export const targetCount: Statement<
  { count: number },
  [tenant: string, targetIds: readonly string[], most: number]
> = {
  name: 'access.audit_target_count',
  text: `select count(*)::int as count from (select from audit_entry where ${withTargets('$2::text[]')} limit $3) as entries`,
  across: 'counts the entries of the tenant, whose ID is in the keys of their targets',
};

/** The number of a tenant's entries with one of these targets, counted up to `most`. */
export async function countTargets(
  reader: Reader,
  tenant: string,
  targetIds: readonly string[],
  most: number,
): Promise<number> {
  const [row] = await reader.query(targetCount, [tenant, targetIds, most]);
  return row?.count ?? 0;
}

// Steps from one value to the next through the index, so the cost is that of the values and not of
// the entries.
const distinct = (column: string) => `
  with recursive step (name) as (
    (select ${column} from audit_entry where tenant = $1 order by ${column} limit 1)
    union all
    select (select e.${column} from audit_entry e where e.tenant = $1 and e.${column} > step.name order by e.${column} limit 1)
    from step where step.name is not null
  )
  select name from step where starts_with(name, $2)`;

const names: Record<
  'action' | 'operation',
  Statement<{ name: string }, [tenant: string, prefix: string]>
> = {
  action: { name: 'access.audit_actions', text: distinct('action') },
  operation: { name: 'access.audit_operations', text: distinct('operation') },
};

/** The actions or operations of a tenant's entries that begin with a prefix. */
export async function findNames(
  reader: Reader,
  tenant: string,
  column: 'action' | 'operation',
  prefix: string,
): Promise<string[]> {
  const rows = await reader.query(names[column], [tenant, prefix]);
  return rows.map(({ name }) => name);
}
