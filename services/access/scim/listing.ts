import { type Run } from '@bailiwick/database';
import { maxCount } from './protocol/documents.ts';
import { type Filter, readFilter, resolverOf } from './protocol/filter.ts';
import { matches, valuesAt } from './protocol/matches.ts';
import { invalidFilter, invalidValue, tooMany } from './protocol/problems.ts';
import { isObject, type Resource, textOf } from './protocol/resource.ts';
import type { ResourceType } from './protocol/schemas.ts';

// Lists (RFC 7644, section 3.4.2). A list without a filter reads its page only. A filter on an
// attribute with an index reads the rows with its value, and any other reads all rows in pieces.

const pieceSize = 500;
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
    const value = read(name) ?? '';
    if (typeof value !== 'string') throw invalidValue(`${name} must be a text`);
    return value;
  };
  const number = (name: string, otherwise: number) => {
    const value = read(name);
    if (value === undefined || value === null || value === '') return otherwise;
    const found = Number(textOf(value) || Number.NaN);
    if (!Number.isSafeInteger(found)) throw invalidValue(`${name} must be a whole number`);
    return found;
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
  count: () => Promise<number>;
  render: (rows: readonly Row[]) => Promise<Resource[]>;
};

export type Found = { total: number; resources: Resource[] };

export async function findResources<Row extends { id: string }>(
  source: Source<Row>,
  query: ListQuery,
): Promise<Found> {
  const { filter, sortBy, offset, count } = query;
  if (!filter && sortBy === '') {
    const total = await source.count();
    const rows = count > 0 && offset < total ? await source.page(offset, count) : [];
    return { total, resources: await source.render(rows) };
  }
  const found = await readAll(source, filter);
  const sorted = sortBy === '' ? found : sortedBy(source.type, found, query);
  return { total: sorted.length, resources: sorted.slice(offset, offset + count) };
}

async function readAll<Row extends { id: string }>(
  { candidates, after, render }: Source<Row>,
  filter: Filter | undefined,
): Promise<Resource[]> {
  const selected = (resources: Resource[]) =>
    filter ? resources.filter((one) => matches(filter, one)) : resources;
  const few = filter && candidates(filter);
  if (few) return selected(await render(await few));
  const found: Resource[] = [];
  for (let [last, read] = ['', 0]; ; ) {
    const rows = await after(last, pieceSize);
    found.push(...selected(await render(rows)));
    read += rows.length;
    if (rows.length < pieceSize) return found;
    if (read >= maxRead)
      throw tooMany(
        `this list reads more than ${maxRead} resources: filter by userName, displayName, externalId or id`,
      );
    last = rows.at(-1)?.id ?? last;
  }
}

function sortedBy(
  type: ResourceType,
  resources: readonly Resource[],
  { sortBy, descending }: ListQuery,
): Resource[] {
  const path = resolverOf(type)(sortBy);
  if (!path) throw invalidFilter(`there is no attribute ${sortBy.slice(0, 100)}`);
  const { caseExact } = path.sub ?? path.attribute;
  const keyOf = (resource: Resource): string => {
    const values = valuesAt(resource, path);
    const value = values.find((one) => isObject(one) && one['primary'] === true) ?? values[0];
    const text = textOf(isObject(value) ? value['value'] : value);
    return caseExact ? text : text.toLowerCase();
  };
  const keyed = resources.map((resource) => ({ resource, key: keyOf(resource) }));
  const order = descending ? -1 : 1;
  // Without a value: last if ascending (RFC 7644, section 3.4.2.3).
  const compare = (a: string, b: string) => {
    if (a === b) return 0;
    if (a === '' || b === '') return a === '' ? 1 : -1;
    return a < b ? -1 : 1;
  };
  return keyed.toSorted((a, b) => order * compare(a.key, b.key)).map(({ resource }) => resource);
}

/** Runs statements on rows of one tenant. */
export type Rows = { run: Run; tenant: string; baseUrl: string };
