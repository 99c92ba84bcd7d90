import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { ListPage } from './calls.ts';
import { type Translate, useTexts } from './texts.tsx';

type Props = {
  page: ListPage<unknown>;
  isChanging: boolean;
  /** The cursor of this page; '' is the first page. */
  cursor: string;
  onCursor: (cursor: string) => void;
};

/** A page that was looked at: its cursor, and its number of rows. */
type Former = { cursor: string; rows: number };

/**
 * The pages before the one of a cursor, as far as they were looked at here. `formers` has the page
 * before by the cursor of the next one, so that it holds however the user has come to a page.
 */
function pagesBefore(formers: ReadonlyMap<string, Former>, cursor: string): Former[] {
  const pages: Former[] = [];
  for (let at = cursor; at !== '' && pages.length <= formers.size; ) {
    const former = formers.get(at);
    if (!former) break;
    pages.unshift(former);
    at = former.cursor;
  }
  return pages;
}

/** The way to the pages before and after, and which rows this page has. */
export function ListPager({ page, cursor, onCursor, isChanging }: Props) {
  const { t } = useTexts();
  // A shared address has none.
  const [formers, setFormers] = useState<ReadonlyMap<string, Former>>(new Map());
  if (cursor === '' && page.next === '') return undefined;
  const rows = page.items.length;
  const before = pagesBefore(formers, cursor);
  const goNext = () => {
    setFormers(new Map([...formers, [page.next, { cursor, rows }]]));
    onCursor(page.next);
  };
  const goBack = () => onCursor(before.at(-1)?.cursor ?? '');
  const isKnown = cursor === '' || before[0]?.cursor === '';
  const first = before.reduce((sum, former) => sum + former.rows, 0);
  return (
    <Group justify="space-between" component="nav" aria-label={t('list.pages')}>
      <PageButton isOff={cursor === '' || isChanging} onClick={goBack}>
        {t(before.length > 0 ? 'list.previous' : 'list.first')}
      </PageButton>
      <Text size="sm" c="dimmed" role="status">
        {isChanging
          ? t('list.loading')
          : rangeOf(t, { rows, isLast: page.next === '', ...(isKnown && { first }) })}
      </Text>
      <PageButton isOff={page.next === '' || isChanging} onClick={goNext}>
        {t('list.next')}
      </PageButton>
    </Group>
  );
}

type ButtonProps = { isOff: boolean; onClick: () => void; children: string };

/** Keeps the focus while it is off: a disabled button would lose it with each page. */
const PageButton = ({ isOff, onClick, children }: ButtonProps) => (
  <Button
    variant="default"
    size="sm"
    aria-disabled={isOff}
    {...(isOff && { 'data-disabled': true })}
    onClick={() => {
      if (!isOff) onClick();
    }}
  >
    {children}
  </Button>
);

/** The rows of a page. Their number in all is known on the last page. */
function rangeOf(t: Translate, range: { rows: number; isLast: boolean; first?: number }): string {
  const { rows, isLast, first } = range;
  if (rows === 0) return '';
  if (first === undefined) return t('list.rows', { count: String(rows) });
  const [from, to] = [String(first + 1), String(first + rows)];
  return isLast ? t('list.rangeOf', { from, to, total: to }) : t('list.range', { from, to });
}
