import { Button, Group, Paper, Skeleton, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { type Entry, ResultBadge } from '../parts/audit-entry.tsx';
import { Sentence } from '../parts/audit-sentence.tsx';
import type { ListPage } from '../parts/calls.ts';
import { useTexts } from '../parts/texts.tsx';
import { clockTime, localDay } from '../parts/times.ts';
import { byDay } from './days.ts';
import { useScope } from './scope.ts';

type Props = {
  page: ListPage<Entry> | undefined;
  isChanging: boolean;
  cursor: string;
  onCursor: (cursor: string) => void;
  onOpen: (id: string) => void;
};

/** Entries below the headings of their days. */
export function EntryList({ page, isChanging, cursor, onCursor, onOpen }: Props) {
  const { t, locale } = useTexts();
  if (!page) return <Skeleton height={240} />;
  return (
    <Stack gap="lg" aria-busy={isChanging} component="section" aria-label={t('audit.title')}>
      {byDay(page.items, (at) => localDay(at, locale)).map(({ day, entries }) => (
        <Stack key={day} gap="xs">
          <Title order={2} size="h5">
            {day}
          </Title>
          <Paper withBorder component="ul" p={0} m={0} className="console-steps">
            {entries.map((entry) => (
              <li key={entry.ID}>
                <Row entry={entry} onOpen={() => onOpen(entry.ID)} />
              </li>
            ))}
          </Paper>
        </Stack>
      ))}
      <Group gap="sm">
        {cursor !== '' && (
          <Button variant="default" onClick={() => onCursor('')}>
            {t('list.first')}
          </Button>
        )}
        {page.next !== '' && (
          <Button variant="default" loading={isChanging} onClick={() => onCursor(page.next)}>
            {t('list.next')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function Row({ entry, onOpen }: { entry: Entry; onOpen: () => void }) {
  const { t, locale } = useTexts();
  const { readable } = useScope();
  const { OccurredAt, Result, Changes } = entry;
  const reason = Changes.find(({ Field }) => Field === 'Reason')?.New ?? '';
  return (
    <UnstyledButton onClick={onOpen} w="100%" px="md" py="xs" className="console-entry" data-entry>
      <Group gap="md" wrap="nowrap" align="start">
        <Text
          size="sm"
          c="dimmed"
          component="time"
          dateTime={OccurredAt}
          className="console-clock"
          miw={`${longestTime(locale)}ch`}
        >
          {OccurredAt ? clockTime(OccurredAt, locale) : '–'}
        </Text>
        <Text size="sm" component="span" flex={1} miw={0}>
          <Sentence entry={entry} may={readable} />
          {reason !== '' && (
            <Text size="xs" c="dimmed" component="span" display="block">
              {t('support.reason')}: {reason}
            </Text>
          )}
        </Text>
        {Result !== 'success' && <ResultBadge of={Result} />}
      </Group>
    </UnstyledButton>
  );
}

/** The characters of a time with two digits for the hour. */
const longestTime = (locale: string) => clockTime('2026-01-01T22:30', locale).length;
