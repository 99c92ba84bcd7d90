import type { ItemOf, ListName, RequestOf } from '@bailiwick/client/client.ts';
import { type ReactNode, useEffect } from 'react';
import { type BulkAction, useBulk } from './bulk-bar.tsx';
import { pageOf, useCall } from './calls.ts';
import { type CursorPlace, useCursor } from './cursor.ts';
import { type Column, CursorList } from './cursor-list.tsx';
import type { ListAction } from './list-actions.tsx';
import { type Choice, ListFilters, NoMatch } from './list-filters.tsx';
import { useListSearch } from './list-search.ts';
import { useSelection } from './list-selection.tsx';
import { useReadOn } from './read-on.ts';
import { SameByApi } from './same-by-api.tsx';

type Props<Name extends ListName> = {
  operation: Name;
  /** The fields of the call, without the page and the search, which are in the view's address. */
  request: Omit<RequestOf<Name>, 'Page'>;
  label: string;
  columns: ReadonlyArray<Column<ItemOf<Name>>>;
  idOf: (item: ItemOf<Name>) => string;
  /** Selects rows, if the call cannot do so. The list passes over pages without any. Default: all. */
  isShown?: (item: ItemOf<Name>) => boolean;
  filters?: { label: string; choices?: readonly Choice[] };
  actions?: ReadonlyArray<ListAction<ItemOf<Name>>>;
  /** Changes of several rows, which the user selects. */
  bulk?: ReadonlyArray<BulkAction<ItemOf<Name>>>;
  /** Stands in place of a list without rows. If a filter is set, "nothing matches" does. */
  empty: ReactNode;
  limit?: number;
  /** The cursor of a list that is only a part of its view. Default: the one in the view's address. */
  place?: CursorPlace;
  /** Follows a list that has rows. */
  children?: ReactNode;
};

/** A list: its filters, one page of its rows with their actions, and its call. */
export function ListView<Name extends ListName>(props: Props<Name>) {
  const { operation, columns, filters, isShown, limit = 25, empty, bulk = [], ...rest } = props;
  const { children, ...parts } = rest;
  const { fields, isFiltered, sorting } = useListSearch();
  const address = useCursor();
  const place = props.place ?? address;
  // The search in the address is that of this list only if the list has filters or an order.
  const isSearched = filters !== undefined || columns.some(({ sort }) => sort !== undefined);
  const selected = { ...props.request, ...(isSearched && fields) };
  const { cursor, mayReadOn, readOn } = useReadOn(
    JSON.stringify([selected, place.cursor]),
    place.cursor,
  );
  const request = { ...selected, Page: { Limit: limit, Cursor: cursor } } as RequestOf<Name>;
  const list = useCall(operation, request, { keepsPrevious: true });
  const whole = pageOf<Name>(list.data);
  const page = whole && isShown ? { ...whole, items: whole.items.filter(isShown) } : whole;
  const isBare = isShown !== undefined && page?.items.length === 0;
  const { isPlaceholderData } = list;
  const next = isBare && !isPlaceholderData && mayReadOn && list.error === null ? page.next : '';
  useEffect(() => {
    if (next !== '') readOn(next);
  });
  const changes = bulk.filter(({ may = true }) => may);
  const { items, selection, clear, leaveOut } = useSelection(page, props.idOf, {
    ...fields,
    Sort: undefined,
    Descending: undefined,
  });
  const { bar, dialog } = useBulk({ actions: changes, items, onClear: clear, onDone: leaveOut });
  return (
    <>
      {filters && <ListFilters {...filters} />}
      {dialog}
      <CursorList
        {...parts}
        {...place}
        {...(changes.length > 0 && { selection })}
        bulkBar={bar}
        columns={columns}
        page={next === '' && !(isBare && isPlaceholderData) ? page : undefined}
        isChanging={isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        sorting={sorting}
        empty={isSearched && isFiltered ? <NoMatch /> : empty}
      />
      <SameByApi operation={operation} request={request} />
      {page && page.items.length > 0 && children}
    </>
  );
}
