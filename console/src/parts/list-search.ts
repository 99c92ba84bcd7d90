import { useNavigate, useSearch } from '@tanstack/react-router';
import { type CursorSearch, readCursor } from './cursor.ts';

// The search, filters and order of a list, as they stand in the view's address.

const fields = ['query', 'status', 'source', 'sort'] as const;

export type ListSearch = Partial<Record<(typeof fields)[number], string>> & {
  order?: 'descending';
};

export const readListSearch = (search: Record<string, unknown>): ListSearch & CursorSearch => ({
  ...Object.fromEntries(
    fields.flatMap((name) =>
      typeof search[name] === 'string' && search[name] !== '' ? [[name, search[name]]] : [],
    ),
  ),
  ...(search['order'] === 'descending' && { order: 'descending' }),
  ...readCursor(search),
});

/** The order of a list, and the ways to another one. */
export type Sorting = {
  by: string;
  isDescending: boolean;
  /** Takes the next order of a column. */
  onSort: (by: string) => void;
  /** Takes this order; '' is the list's own. */
  onOrder: (by: string, isDescending: boolean) => void;
};

/** The search in the view's address, its fields for a call, and the ways to change it. */
export function useListSearch() {
  const { cursor: _cursor, ...search } = readListSearch(useSearch({ strict: false }));
  const { query = '', status = '', source = '', sort = '', order } = search;
  const navigate = useNavigate();
  // Another search begins at the first page.
  const change = (next: Record<string, string | undefined>, replace = false) =>
    void navigate({ to: '.', search: readListSearch({ ...search, ...next }) as never, replace });
  const isDescending = order === 'descending';
  const onOrder = (by: string, down: boolean) =>
    change({ sort: by, order: down ? 'descending' : undefined });
  // A first click sorts upwards, the second downwards, and the third ends the order.
  const onSort = (by: string) =>
    onOrder(by === sort && isDescending ? '' : by, by === sort && !isDescending);
  return {
    search,
    fields: {
      ...(query !== '' && { Query: query }),
      ...(status !== '' && { Status: status }),
      ...(source !== '' && { Source: source }),
      ...(sort !== '' && { Sort: sort }),
      ...(isDescending && { Descending: true }),
    },
    isFiltered: query !== '' || status !== '' || source !== '',
    change,
    sorting: { by: sort, isDescending, onSort, onOrder },
  };
}
