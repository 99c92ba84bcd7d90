import type { ItemOf } from '@bailiwick/client/client.ts';
import { Anchor, Box, Group, NativeSelect, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { ReceiverAnswer, Result, resultText } from '../deliveries/result.tsx';
import { pageOf, useCall } from '../parts/calls.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { ResendButton } from './resend-button.tsx';

type Attempt = ItemOf<'Portal_ListAttempts'>;

const outcomes = ['delivered', 'retry', 'failed', 'dropped'] as const;

type Props = { abilities: readonly string[]; onMessage: (id: string) => void };

/** The messages, those with the newest attempt first. */
export function Log(props: Props) {
  const { t } = useTexts();
  const [outcome, setOutcome] = useState('');
  const choices = outcomes.map((name) => ({
    value: name,
    label: t(resultText(name) ?? 'webhooks.all'),
  }));
  return (
    <Stack gap="sm" component="section" aria-labelledby="delivery-log">
      <Group justify="space-between">
        <Title order={2} size="h4" id="delivery-log">
          {t('webhooks.log')}
        </Title>
        <NativeSelect
          size="sm"
          aria-label={t('webhooks.result')}
          value={outcome}
          onChange={(event) => setOutcome(event.currentTarget.value)}
          data={[{ value: '', label: t('webhooks.all') }, ...choices]}
        />
      </Group>
      <Attempts key={outcome} outcome={outcome} {...props} />
    </Stack>
  );
}

function Attempts({ outcome, abilities, onMessage }: Props & { outcome: string }) {
  const { t } = useTexts();
  const [cursor, onCursor] = useState('');
  const request = { Outcome: outcome, Latest: true, Page: { Limit: 20, Cursor: cursor } };
  const list = useCall('Portal_ListAttempts', request, { keepsPrevious: true });
  return (
    <CursorList
      label={t('webhooks.log')}
      columns={useColumns(abilities, onMessage)}
      idOf={({ ID }) => ID}
      page={pageOf<'Portal_ListAttempts'>(list.data)}
      isChanging={list.isPlaceholderData}
      error={list.error}
      onRetry={() => void list.refetch()}
      cursor={cursor}
      onCursor={onCursor}
      empty={
        <Paper withBorder p="md">
          <Text size="sm" c="dimmed">
            {t(outcome === '' ? 'portal.noDeliveries' : 'webhooks.noneLikeThis')}
          </Text>
        </Paper>
      }
    />
  );
}

/** The event with a way to its message, its time and, on narrow screens, the result. */
function EventCell({
  ID,
  EventType,
  StartedAt,
  Status,
  onMessage,
}: Attempt & Pick<Props, 'onMessage'>) {
  return (
    <>
      {/* Tests are not stored. */}
      {EventType === 'endpoint.ping' ? (
        <Text size="sm">{EventType}</Text>
      ) : (
        <Anchor component="button" type="button" size="sm" ta="left" onClick={() => onMessage(ID)}>
          {EventType}
        </Anchor>
      )}
      <Text size="xs" c="dimmed">
        <Time at={StartedAt} />
      </Text>
      <Box hiddenFrom="sm">
        <Result status={Status} />
      </Box>
    </>
  );
}

function useColumns(abilities: readonly string[], onMessage: Props['onMessage']) {
  const { t } = useTexts();
  const columns: Column<Attempt>[] = [
    {
      id: 'event',
      header: t('webhooks.event'),
      cell: (attempt) => <EventCell {...attempt} onMessage={onMessage} />,
    },
    {
      id: 'result',
      header: t('webhooks.result'),
      isSecondary: true,
      cell: ({ Status }) => <Result status={Status} />,
    },
    {
      id: 'answer',
      header: t('webhooks.answer'),
      isSecondary: true,
      cell: (attempt) => <ReceiverAnswer {...attempt} />,
    },
    {
      id: 'attempts',
      header: t('webhooks.attempts'),
      isSecondary: true,
      cell: ({ Attempt }) => <Text size="sm">{Attempt}</Text>,
    },
  ];
  if (abilities.includes('replay'))
    columns.push({
      id: 'actions',
      header: t('list.actions'),
      hasHiddenHeader: true,
      cell: ({ ID, EventType, Status }) =>
        ['failed', 'retry'].includes(Status) &&
        EventType !== 'endpoint.ping' && (
          <ResendButton id={ID} event={EventType} isCompact isWaiting={Status === 'retry'} />
        ),
    });
  return columns;
}
