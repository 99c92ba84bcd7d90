import { inOrderOf } from '@bailiwick/pipeline';
import type { Run } from '@bailiwick/store';
import { maxCount } from './protocol/documents.ts';
import { type Filter, readFilter, resolverOf } from './protocol/filter.ts';
import { matches, valuesAt } from './protocol/matches.ts';
import { invalidFilter, invalidValue, tooMany } from './protocol/problems.ts';
import { isObject, type Resource, textOf } from './protocol/resource.ts';
import type { ResourceType } from './protocol/schemas.ts';

// Lists (RFC 7644, section 3.4.2). A list without a filter reads its page only. A filter on an
// attribute with an index reads the rows with its value, and any other reads all rows in pieces.

/** Small pieces let other work run in between. */
const pieceSize = 100;
/** The most rows that one list reads. */
const maxRead = 20_000;

export type ListQuery = {
  filter: Filter | undefined;
  sortBy: string;
  descending: boolean;
  /** From 0. */
  offset: number;
  count: number;
};

/** Reads the parameters of a list: of a URL, or of the body of a search. */
export function readListQuery(type: ResourceType, read: (name: string) => unknown): ListQuery {
  const text = (name: string) => {
    const parameter = read(name) ?? '';
    if (typeof parameter !== 'string') throw invalidValue(`${name} must be a string`);
    return parameter;
  };
  const number = (name: string, otherwise: number) => {
    const parameter = read(name);
    if (parameter === undefined || parameter === null || parameter === '') return otherwise;
    const result = Number(textOf(parameter) || Number.NaN);
    if (!Number.isSafeInteger(result)) throw invalidValue(`${name} must be a whole number`);
    return result;
  };
  const filter = text('filter').trim();
  return {
    filter: filter === '' ? undefined : readFilter(filter, resolverOf(type)),
    sortBy: text('sortBy'),
    descending: text('sortOrder').toLowerCase() === 'descending',
    // Smaller values mean the first resource, and none (RFC 7644, section 3.4.2.4).
    offset: Math.max(number('startIndex', 1), 1) - 1,
    count: Math.min(Math.max(number('count', maxCount), 0), maxCount),
  };
}

/** The queries of a list, and the form of its resources. */
export type Source<Row> = {
  type: ResourceType;
  /** The rows that a filter may select, by an index; undefined if no index serves it. */
  candidates: (filter: Filter) => Promise<Row[]> | undefined;
  byId: (id: string) => Promise<Row[]>;
  after: (id: string, limit: number) => Promise<Row[]>;
  page: (offset: number, limit: number) => Promise<Row[]>;
  /** The rows of a page, in any order. */
  byIds: (ids: readonly string[]) => Promise<Row[]>;
  count: () => Promise<number>;
  render: (rows: readonly Row[]) => Promise<Resource[]>;
  /** Ends a list whose client has left. */
  signal: AbortSignal;
};

export type ResourcePage = { total: number; resources: Resource[] };

export async function findResources<Row extends { id: string }>(
  source: Source<Row>,
  query: ListQuery,
): Promise<ResourcePage> {
  const { filter, sortBy, offset, count } = query;
  if (!filter && sortBy === '') {
    const total = await source.count();
    const rows = count > 0 && offset < total ? await source.page(offset, count) : [];
    return { total, resources: await source.render(rows) };
  }
  const keyOf = sortBy === '' ? () => '' : sortKeyOf(source.type, sortBy);
  const keys = await readKeys(source, filter, keyOf);
  if (sortBy !== '') keys.sort(comparing(query.descending));
  const ids = keys.slice(offset, offset + count).map(({ id }) => id);
  const rows = ids.length > 0 ? await source.byIds(ids) : [];
  const resources = await source.render(inOrderOf(ids, rows, ({ id }) => id));
  return { total: keys.length, resources };
}

/** A resource that a filter selects, without its attributes: a list may have many. */
type SortKey = { id: string; key: string };

async function readKeys<Row extends { id: string }>(
  { candidates, after, render, signal }: Source<Row>,
  filter: Filter | undefined,
  keyOf: (resource: Resource) => string,
): Promise<SortKey[]> {
  const selected = async (rows: readonly Row[]) =>
    (await render(rows))
      .filter((one) => !filter || matches(filter, one))
      .map((one) => ({ id: textOf(one['id']), key: keyOf(one) }));
  const few = filter && candidates(filter);
  if (few) return selected(await few);
  const keys: SortKey[] = [];
  for (let [last, read] = ['', 0]; ; ) {
    signal.throwIfAborted();
    const rows = await after(last, pieceSize);
    read += rows.length;
    if (read > maxRead)
      throw tooMany(
        `this list reads more than ${maxRead} resources: filter by userName, displayName, externalId or id`,
      );
    keys.push(...(await selected(rows)));
    if (rows.length < pieceSize) return keys;
    last = rows.at(-1)?.id ?? last;
  }
}

/** The most characters of a value that are compared. */
const maxKey = 256;

function sortKeyOf(type: ResourceType, sortBy: string): (resource: Resource) => string {
  const path = resolverOf(type)(sortBy);
  if (!path) throw invalidFilter(`there is no attribute ${sortBy.slice(0, 100)}`);
  const { caseExact } = path.sub ?? path.attribute;
  return (resource) => {
    const values = valuesAt(resource, path);
    const primary = values.find((one) => isObject(one) && one['primary'] === true) ?? values[0];
    const text = textOf(isObject(primary) ? primary['value'] : primary).slice(0, maxKey);
    return caseExact ? text : text.toLowerCase();
  };
}

/** Without a value: last if ascending (RFC 7644, section 3.4.2.3). */
const comparing =
  (descending: boolean) =>
  ({ key: a }: SortKey, { key: b }: SortKey): number => {
    const order = descending ? -1 : 1;
    if (a === b) return 0;
    if (a === '' || b === '') return order * (a === '' ? 1 : -1);
    return order * (a < b ? -1 : 1);
  };

/** Runs statements on rows of one tenant. */
export type Rows = { run: Run; tenant: string; baseUrl: string; signal: AbortSignal };
