import type { FoundIds } from '@bailiwick/store';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { PageQuery, Pager } from './page.ts';

/** The fields of a request that search, filter and sort a list. A list has some of them. */
type SearchRequest = {
  query?: string;
  status?: string;
  source?: string;
  from?: Timestamp | undefined;
  to?: Timestamp | undefined;
  sort?: string;
  descending?: boolean;
};

/** A search of a list. null = not given. */
export type Search = {
  text: string;
  order: string;
  isDescending: boolean;
  status: string | null;
  source: string | null;
  from: Date | null;
  to: Date | null;
};

/** Reads the search of a request; undefined if it asks for the whole list in its own order. */
export function readSearch(request: SearchRequest): Search | undefined {
  const { query = '', status, source, from, to, sort = '', descending = false } = request;
  const search = {
    text: query.trim(),
    order: sort,
    isDescending: descending,
    status: status || null,
    source: source || null,
    from: from ? timestampDate(from) : null,
    to: to ? timestampDate(to) : null,
  };
  return Object.values(search).some(Boolean) ? search : undefined;
}

type SearchedList = {
  pager: Pager;
  page: Parameters<Pager['read']>[0];
  /** The list without its search: operation and tenant. */
  binding: readonly string[];
  search: Search;
};

/** The ids of a page of a search, and the cursor of the next page, which belongs to the search. */
export async function readFound(
  { pager, page, search, ...list }: SearchedList,
  find: (search: Search, query: PageQuery) => Promise<FoundIds>,
): Promise<{ ids: string[]; nextCursor: string }> {
  const binding = [...list.binding, JSON.stringify(search)];
  const query = pager.read(page, binding);
  const { found: places, last } = await find(search, query);
  const { items, nextCursor } = pager.cut(places, query, binding, ({ after }) => after, last);
  return { ids: items.map(({ id }) => id), nextCursor };
}

/** Rows in the order of their ids. An id without a row is left out. */
export function inOrderOf<Row>(
  ids: readonly string[],
  rows: readonly Row[],
  idOf: (row: Row) => string,
): Row[] {
  const byId = new Map(rows.map((row) => [idOf(row), row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
