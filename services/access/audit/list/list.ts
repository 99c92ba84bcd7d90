import type { Reader } from '@bailiwick/store';
import type { AuditRow } from '../entities.ts';
import type { EntryFilter } from '../queries.ts';
import { countPeriod, countTargets, findNames, type Path, readWindow } from './queries.ts';

/** Entries that one statement compares with several filters. */
const perWindow = 10_000;
/** Entries that are compared first for targets of many entries, which soon fill a page. */
const firstWindow = 1000;
/** Entries with a target that its index may find: each may be in a block of its own. */
const mostByTarget = 500;
/** Statements of one call. Then the call returns its entries, with the cursor to go on. */
const windows = 5;

export type Listing = {
  after: string;
  /** One more than the page holds. */
  limit: number;
  oldestFirst: boolean;
  filter: EntryFilter;
};

/** Rows up to the limit. `last`: the entry to go on after, if the call ended before the search. */
type Matches = { rows: AuditRow[]; last: number | undefined };

/** A tenant's entries that match the filter, in order. */
export async function listEntries(
  reader: Reader,
  tenant: string,
  { after, limit, oldestFirst, filter: requested }: Listing,
): Promise<Matches> {
  const filter = await withNames(reader, tenant, requested);
  if (filter.actions?.length === 0 || filter.operations?.length === 0)
    return { rows: [], last: undefined };
  const rows: AuditRow[] = [];
  let position = after;
  let last: number | undefined;
  /** Reads a window, and returns whether the page is complete. */
  const read = async (path: Path, candidates: number): Promise<boolean> => {
    const remaining = limit - rows.length;
    const window = { path, oldestFirst, after: position, filter, limit: remaining, candidates };
    const matches = await readWindow(reader, tenant, window);
    rows.push(...matches.rows);
    last = matches.last;
    position = String(last);
    return rows.length >= limit || last === undefined;
  };
  const path = await choosePath(reader, tenant, filter);
  const candidates = restricts(filter, path)
    ? Math.max(limit, Math.floor(perWindow / valuesOn(filter, path)))
    : limit;
  const first = filter.targetIds && path !== 'target' ? firstWindow : candidates;
  for (let count = 0; count < windows; count++)
    if (await read(path, count === 0 ? first : candidates)) break;
  return { rows, last };
}

/** The filter with the names that its prefixes stand for. */
async function withNames(
  reader: Reader,
  tenant: string,
  { actionPrefix, operationPrefix, ...filter }: EntryFilter,
): Promise<EntryFilter> {
  const actions = actionPrefix && (await findNames(reader, tenant, 'action', actionPrefix));
  const operations =
    operationPrefix && (await findNames(reader, tenant, 'operation', operationPrefix));
  return {
    ...filter,
    ...(actions && {
      actions: actions.filter((name) => filter.actions?.includes(name) ?? true),
    }),
    ...(operations && { operations }),
  };
}

/** The path with the fewest candidates, as far as this can be known without statistics. */
async function choosePath(reader: Reader, tenant: string, filter: EntryFilter): Promise<Path> {
  const { targetIds, actorIds, ip, actions, operations, result, from, to } = filter;
  if (
    targetIds &&
    (await countTargets(reader, tenant, targetIds, mostByTarget + 1)) <= mostByTarget
  )
    return 'target';
  const attribute: Path | undefined =
    (actorIds && 'actor') ||
    (ip !== null && 'ip') ||
    (actions && 'action') ||
    (operations && 'operation') ||
    (result !== null && result !== 'success' && 'result') ||
    undefined;
  if (!from && !to) return attribute ?? 'all';
  if (!attribute && result === null && !targetIds) return 'period';
  const size = await countPeriod(reader, tenant, filter, perWindow);
  if (size < perWindow) return 'shortPeriod';
  return attribute ?? 'period';
}

const fieldsOf: Partial<Record<Path, keyof EntryFilter>> = {
  target: 'targetIds',
  actor: 'actorIds',
  ip: 'ip',
  action: 'actions',
  operation: 'operations',
  result: 'result',
};

/** Whether the filter has more than what the path already selects. */
function restricts(filter: EntryFilter, path: Path): boolean {
  const isPeriod = path === 'period' || path === 'shortPeriod';
  return Object.entries(filter).some(
    ([name, value]) =>
      value !== null &&
      value !== undefined &&
      name !== fieldsOf[path] &&
      !(isPeriod && (name === 'from' || name === 'to')),
  );
}

function valuesOn(filter: EntryFilter, path: Path): number {
  const field = fieldsOf[path];
  const values = field && filter[field];
  return Array.isArray(values) ? values.length : 1;
}
