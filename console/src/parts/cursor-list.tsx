import { Paper, Skeleton, Stack, Table } from '@mantine/core';
import { type MouseEvent, memo, type ReactNode, useId } from 'react';
import type { ListPage } from './calls.ts';
import { FailureNotice } from './failure-notice.tsx';
import { FullText } from './full-text.tsx';
import { type ListAction, useListActions } from './list-actions.tsx';
import { ListHead } from './list-head.tsx';
import { ListHeading } from './list-heading.tsx';
import { ListPager } from './list-pager.tsx';
import type { Sorting } from './list-search.ts';
import { SelectAll, type Selection, SelectRow } from './list-selection.tsx';
import { useTexts } from './texts.tsx';

// Rows and cells are plain elements with the classes of Mantine, whose components render slowly.
const { classes } = Table;
const secondaryCell = `${classes.td} mantine-visible-from-sm`;
const smallCell = `${classes.td} console-small-cell`;

/** `isSecondary`: not on narrow screens. The first column names its row. */
export type Column<Item> = {
  id: string;
  header: string;
  cell: (item: Item) => ReactNode;
  isSecondary?: boolean;
  /** Whether its cells are rows of labels, which need more room than a word. */
  isWide?: boolean;
  /** Whether the header is for screen readers only, over a column of buttons. */
  hasHiddenHeader?: boolean;
  /** The order that the header sorts by. */
  sort?: string;
};

type Props<Item> = {
  label: string;
  columns: readonly Column<Item>[];
  actions?: ReadonlyArray<ListAction<Item>>;
  selection?: Selection | undefined;
  /** Is over the header while rows are selected. */
  bulkBar?: ReactNode;
  idOf: (item: Item) => string;
  page: ListPage<Item> | undefined;
  /** Whether another page than the shown one is loading. */
  isChanging: boolean;
  error: unknown;
  onRetry: () => void;
  /** The cursor of this page, from the view's address; '' is the first page. */
  cursor: string;
  onCursor: (cursor: string) => void;
  /** The order, for columns that have one. */
  sorting?: Sorting;
  empty: ReactNode;
};

/** One page of a list by cursor. Its size does not grow with the list. */
export function CursorList<Item>({ actions = [], ...props }: Props<Item>) {
  const { hasActions, menuOf, dialog } = useListActions(actions);
  return (
    <>
      <Content {...props} {...(hasActions && { menuOf })} />
      {dialog}
    </>
  );
}

type ContentProps<Item> = Omit<Props<Item>, 'actions'> & {
  /** The menu of a row, whose name is in an element. */
  menuOf?: (item: Item, nameId: string) => ReactNode;
};

function Content<Item>(props: ContentProps<Item>) {
  const { page, error, onRetry, cursor, empty } = props;
  if (error && !page) return <FailureNotice error={error} onRetry={onRetry} />;
  if (!page) return <Loading />;
  if (page.items.length === 0 && cursor === '' && page.next === '') return empty;
  return (
    <Stack gap="sm">
      {error !== null && <FailureNotice error={error} onRetry={onRetry} />}
      <Rows {...props} page={page} />
      <ListPager {...props} page={page} />
    </Stack>
  );
}

const Loading = () => (
  <Stack gap="xs" aria-busy="true">
    {[1, 2, 3, 4].map((row) => (
      <Skeleton key={row} height={44} />
    ))}
  </Stack>
);

type RowsProps<Item> = ContentProps<Item> & { page: ListPage<Item> };

const placeOf = ({ isSecondary = false }: { isSecondary?: boolean }) =>
  isSecondary ? { visibleFrom: 'sm' as const } : {};

function Rows<Item>(props: RowsProps<Item>) {
  const { label, columns, isChanging, sorting, selection, bulkBar, menuOf, page, idOf } = props;
  const { t } = useTexts();
  const ids = page.items.map(idOf);
  // Nothing below the bar can have the focus.
  const orders = bulkBar ? undefined : sorting;
  return (
    <Paper withBorder p={0} pos="relative">
      <FullText />
      {bulkBar}
      <ListHead columns={columns} sorting={orders} selection={selection} ids={ids} />
      <Table
        className="console-list"
        tabIndex={-1}
        aria-label={label}
        aria-busy={isChanging}
        layout="fixed"
        highlightOnHover
      >
        <Table.Thead>
          <Table.Tr>
            {selection && (
              <Table.Th scope="col" className="console-small-cell">
                <SelectAll selection={selection} ids={ids} />
              </Table.Th>
            )}
            {columns.map(
              ({ id, header, sort, hasHiddenHeader = false, isWide, ...column }, index) => (
                <ListHeading
                  key={id}
                  sort={sort}
                  sorting={orders}
                  isSilent={hasHiddenHeader}
                  {...(isWide && { className: 'console-labels-cell' })}
                  {...(index === 0 && { className: 'console-name-cell' })}
                  {...placeOf(column)}
                >
                  {header}
                </ListHeading>
              ),
            )}
            {menuOf && (
              <ListHeading isSilent className="console-small-cell">
                {t('list.actions')}
              </ListHeading>
            )}
          </Table.Tr>
        </Table.Thead>
        <Body {...props} />
      </Table>
    </Paper>
  );
}

/** A click on a row is one on its name, unless it is on something else to act on. */
function openRow(event: MouseEvent<HTMLElement>) {
  const { target, nativeEvent, currentTarget } = event;
  if (!(target instanceof Element) || !currentTarget.contains(target)) return;
  if (target.closest('a, button, input, label, .console-small-cell, [role=menu]')) return;
  if (window.getSelection()?.isCollapsed === false) return;
  target
    .closest('tr')
    ?.querySelector('.console-row-link')
    ?.dispatchEvent(new window.MouseEvent('click', nativeEvent));
}

function BodyOf<Item>({ columns, idOf, page, selection, menuOf }: RowsProps<Item>) {
  const list = useId();
  return (
    <Table.Tbody onClick={openRow}>
      {page.items.map((row, at) => {
        const nameId = `${list}${at}`;
        return (
          <tr key={idOf(row)} className={classes.tr} data-hover data-with-row-border>
            {selection && (
              <td className={smallCell}>
                <SelectRow selection={selection} id={idOf(row)} nameId={nameId} />
              </td>
            )}
            {columns.map(({ id, cell, isSecondary = false }, index) => (
              <td
                key={id}
                {...(index === 0 && { id: nameId })}
                className={isSecondary ? secondaryCell : classes.td}
              >
                {cell(row)}
              </td>
            ))}
            {menuOf && <td className={smallCell}>{menuOf(row, nameId)}</td>}
          </tr>
        );
      })}
    </Table.Tbody>
  );
}

/** Keeps the rows while another page is loading: to render them takes longer than the call. */
const Body = memo(
  BodyOf,
  (previous, next) =>
    next.isChanging &&
    next.page.items === previous.page.items &&
    next.selection?.ids === previous.selection?.ids,
) as typeof BodyOf;
