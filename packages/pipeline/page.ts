import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalid, type Problem, problem } from '@bailiwick/errors';
import { type KeyRing, purposeKey } from '@bailiwick/keys';

// Keyset pages: rows in order of id, and a cursor that means "after this row". A cursor is bound to
// its list: its MAC covers the operation, the tenant and the filter.

const defaultLimit = 50;
const maxLimit = 200;
const macLength = 16;
const badCursor = problem('Page.Cursor', 'cursor', 'is not a cursor of this list');

/**
 * Checks the form of a request's cursor. `read` checks that it belongs to the list,
 * which needs a valid request.
 */
export function cursorProblems(request: object): Problem[] {
  const cursor = 'page' in request && (request.page as { cursor?: unknown } | undefined)?.cursor;
  if (typeof cursor !== 'string' || cursor === '') return [];
  const bytes = Buffer.from(cursor, 'base64url');
  const after = bytes.subarray(macLength).toString();
  return bytes.toString('base64url') === cursor && /^[\x20-\x7e]+$/.test(after) ? [] : [badCursor];
}

/**
 * A page request for a query: the number of rows, one more than the page holds, and the row to
 * start after.
 */
export type PageQuery = { limit: number; after: string };

type PageRequest = { limit: number; cursor: string };

/** Reads page requests and cuts pages. */
export type Pager = ReturnType<typeof createPager>;

/** Cursors are signed with the key ring, so any replica or service reads them. */
export function createPager(ring: KeyRing) {
  const keys = () => ring.map(({ key }) => purposeKey(key, 'cursor'));

  const macOf = (key: Uint8Array, binding: readonly string[], after: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([...binding, after]))
      .digest()
      .subarray(0, macLength);

  /** A cursor that continues a list after `after`. */
  function cursorAt(after: string, binding: readonly string[]): string {
    const [key] = keys();
    return key
      ? Buffer.concat([macOf(key, binding, after), Buffer.from(after)]).toString('base64url')
      : '';
  }

  /**
   * Reads a page request. `binding` identifies the list: operation, tenant, filter. @throws
   * invalid_argument for a cursor of another list
   */
  function read(page: PageRequest | undefined, binding: readonly string[]): PageQuery {
    const limit = Math.min(page?.limit || defaultLimit, maxLimit) + 1;
    if (!page?.cursor) return { limit, after: '' };
    const bytes = Buffer.from(page.cursor, 'base64url');
    const mac = bytes.subarray(0, macLength);
    const after = bytes.subarray(macLength).toString();
    const genuine =
      mac.length === macLength &&
      keys().some((key) => timingSafeEqual(mac, macOf(key, binding, after)));
    if (!genuine) throw invalid(badCursor, 'BAD_CURSOR');
    return { limit, after };
  }

  /**
   * Cuts a page from a query's rows: the extra row shows that there is a next page. `keyOf`
   * returns the text after which the next page begins. `reached`: the same for a search that
   * ended before its page was full.
   */
  function cut<Row>(
    rows: readonly Row[],
    { limit }: PageQuery,
    binding: readonly string[],
    keyOf: (row: Row) => string,
    reached = '',
  ) {
    const items = rows.slice(0, limit - 1);
    const last = items.at(-1);
    const next = rows.length < limit || last === undefined ? reached : keyOf(last);
    return { items, nextCursor: next === '' ? '' : cursorAt(next, binding) };
  }

  /** The response of a list in order of its ids: one page of the rows that `find` returns. */
  async function list<Row extends { id: string }, Item>(
    page: PageRequest | undefined,
    binding: readonly string[],
    find: (query: PageQuery) => Promise<readonly Row[]>,
    toItem: (row: Row) => Item,
  ) {
    const query = read(page, binding);
    const { items, nextCursor } = cut(await find(query), query, binding, ({ id }) => id);
    return { page: { items: items.map((row) => toItem(row)), nextCursor } };
  }

  return { read, cut, cursorAt, list };
}
