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

/** A page that was looked at before: its cursor, and its number of rows. */
type Former = { cursor: string; rows: number };

/** The way to the pages before and after, and which rows this page has. */
export function ListPager({ page, cursor, onCursor, isChanging }: Props) {
  const { t } = useTexts();
  // The pages before this one, as far as they were looked at here. A shared address has none.
  const [before, setBefore] = useState<readonly Former[]>([]);
  if (cursor === '' && page.next === '') return undefined;
  const rows = page.items.length;
  const goNext = () => {
    setBefore([...before, { cursor, rows }]);
    onCursor(page.next);
  };
  const goBack = () => {
    setBefore(before.slice(0, -1));
    onCursor(before.at(-1)?.cursor ?? '');
  };
  const isKnown = cursor === '' || before[0]?.cursor === '';
  const first = cursor === '' ? 0 : before.reduce((sum, former) => sum + former.rows, 0);
  return (
    <Group justify="space-between" component="nav" aria-label={t('list.pages')}>
      <Button variant="default" size="sm" disabled={cursor === ''} onClick={goBack}>
        {t(before.length > 0 ? 'list.previous' : 'list.first')}
      </Button>
      <Text size="sm" c="dimmed" role="status">
        {isChanging
          ? t('list.loading')
          : rangeOf(t, { rows, isLast: page.next === '', ...(isKnown && { first }) })}
      </Text>
      <Button variant="default" size="sm" disabled={page.next === ''} onClick={goNext}>
        {t('list.next')}
      </Button>
    </Group>
  );
}

/** The rows of a page. Their number in all is known on the last page. */
function rangeOf(t: Translate, range: { rows: number; isLast: boolean; first?: number }): string {
  const { rows, isLast, first } = range;
  if (rows === 0) return '';
  if (first === undefined) return t('list.rows', { count: String(rows) });
  const [from, to] = [String(first + 1), String(first + rows)];
  return isLast ? t('list.rangeOf', { from, to, total: to }) : t('list.range', { from, to });
}
