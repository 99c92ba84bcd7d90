import {
  Button,
  Group,
  Paper,
  Skeleton,
  Stack,
  Table,
  Text,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core';
import { memo, type ReactNode, useState } from 'react';
import type { ListPage } from './calls.ts';
import { FailureNotice } from './failure-notice.tsx';
import { type ListAction, useListActions } from './list-actions.tsx';
import type { Sorting } from './list-search.ts';
import { useTexts } from './texts.tsx';

// Rows and cells are plain elements with the classes of Mantine, whose components render slowly.
const { classes } = Table;
const secondaryCell = `${classes.td} mantine-visible-from-sm`;

/** `isSecondary`: not on narrow screens. */
export type Column<Item> = {
  id: string;
  header: string;
  cell: (item: Item) => ReactNode;
  isSecondary?: boolean;
  /** Whether the header is for screen readers only, over a column of buttons. */
  hasHiddenHeader?: boolean;
  /** The order that the header sorts by. */
  sort?: string;
};

type Props<Item> = {
  label: string;
  columns: readonly Column<Item>[];
  actions?: ReadonlyArray<ListAction<Item>>;
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
export function CursorList<Item>({ columns, actions = [], ...props }: Props<Item>) {
  const { t } = useTexts();
  const { hasActions, buttonsOf, dialog } = useListActions(actions);
  const column: Column<Item> = {
    id: 'actions',
    header: t('list.actions'),
    hasHiddenHeader: true,
    cell: (row) => <div className="console-row-actions">{buttonsOf(row)}</div>,
  };
  return (
    <>
      <Content {...props} columns={hasActions ? [...columns, column] : columns} />
      {dialog}
    </>
  );
}

function Content<Item>(props: Props<Item>) {
  const { page, error, onRetry, cursor, empty } = props;
  if (error && !page) return <FailureNotice error={error} onRetry={onRetry} />;
  if (!page) return <Loading />;
  if (page.items.length === 0 && cursor === '' && page.next === '') return empty;
  return (
    <Stack gap="sm">
      {error !== null && <FailureNotice error={error} onRetry={onRetry} />}
      <Rows {...props} page={page} />
      <Pager {...props} page={page} />
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

type RowsProps<Item> = Props<Item> & { page: ListPage<Item> };

const placeOf = ({ isSecondary = false }: { isSecondary?: boolean }) =>
  isSecondary ? { visibleFrom: 'sm' as const } : {};

function Rows<Item>(props: RowsProps<Item>) {
  const { label, columns, isChanging, sorting } = props;
  return (
    <Paper withBorder p={0} style={{ overflowX: 'auto' }}>
      <Table aria-label={label} aria-busy={isChanging} verticalSpacing="sm" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ id, header, sort, hasHiddenHeader = false, ...column }) => (
              <Heading
                key={id}
                sort={sort}
                sorting={sorting}
                isSilent={hasHiddenHeader}
                {...placeOf(column)}
              >
                {header}
              </Heading>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Body {...props} />
      </Table>
    </Paper>
  );
}

const BodyOf = <Item,>({ columns, idOf, page }: RowsProps<Item>) => (
  <Table.Tbody>
    {page.items.map((row) => (
      <tr key={idOf(row)} className={classes.tr} data-hover data-with-row-border>
        {columns.map(({ id, cell, isSecondary = false }) => (
          <td key={id} className={isSecondary ? secondaryCell : classes.td}>
            {cell(row)}
          </td>
        ))}
      </tr>
    ))}
  </Table.Tbody>
);

/** Keeps the rows while another page is loading: to render them takes longer than the call. */
const Body = memo(
  BodyOf,
  (previous, next) => next.isChanging && next.page.items === previous.page.items,
) as typeof BodyOf;

type HeadingProps = {
  sort: string | undefined;
  sorting: Sorting | undefined;
  isSilent: boolean;
  visibleFrom?: 'sm';
  children: ReactNode;
};

/** The header of a column. It sorts the list if the column has an order. */
function Heading({ sort, sorting, isSilent, children, ...place }: HeadingProps) {
  if (isSilent)
    return (
      <Table.Th scope="col" {...place}>
        <VisuallyHidden>{children}</VisuallyHidden>
      </Table.Th>
    );
  if (!sorting || sort === undefined)
    return (
      <Table.Th scope="col" {...place}>
        {children}
      </Table.Th>
    );
  const { by, isDescending, onSort } = sorting;
  const order = isDescending ? 'descending' : 'ascending';
  return (
    <Table.Th scope="col" aria-sort={by === sort ? order : 'none'} {...place}>
      <UnstyledButton fz="inherit" fw="inherit" onClick={() => onSort(sort)}>
        {children}
        <span aria-hidden="true">{by !== sort ? ' ↕' : isDescending ? ' ↓' : ' ↑'}</span>
      </UnstyledButton>
    </Table.Th>
  );
}

function Pager<Item>(props: Props<Item> & { page: ListPage<Item> }) {
  const { page, cursor, onCursor, isChanging } = props;
  const { t } = useTexts();
  // The pages before this one, as far as they were looked at here. A shared address has none.
  const [before, setBefore] = useState<readonly string[]>([]);
  if (cursor === '' && page.next === '') return undefined;
  const goNext = () => {
    setBefore([...before, cursor]);
    onCursor(page.next);
  };
  const goBack = () => {
    setBefore(before.slice(0, -1));
    onCursor(before.at(-1) ?? '');
  };
  return (
    <Group justify="space-between" component="nav" aria-label={t('list.pages')}>
      <Button variant="default" size="sm" disabled={cursor === ''} onClick={goBack}>
        {t(before.length > 0 ? 'list.previous' : 'list.first')}
      </Button>
      <Text size="sm" c="dimmed" role="status">
        {isChanging ? t('list.loading') : ''}
      </Text>
      <Button variant="default" size="sm" disabled={page.next === ''} onClick={goNext}>
        {t('list.next')}
      </Button>
    </Group>
  );
}
