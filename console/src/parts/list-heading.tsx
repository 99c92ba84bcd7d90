import { Table, UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Sorting } from './list-search.ts';

type Props = {
  sort?: string | undefined;
  sorting?: Sorting | undefined;
  /** Whether the text is for screen readers only, over a column of buttons. */
  isSilent?: boolean;
  className?: string;
  visibleFrom?: 'sm';
  children: ReactNode;
};

/** The header of a column. It sorts the list if the column has an order. */
export function ListHeading({ sort, sorting, isSilent = false, children, ...place }: Props) {
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
