import type { ItemOf } from '@bailiwick/client/client.ts';
import { Anchor, Box, Paper, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ReceiverAnswer, Result } from '../deliveries/result.tsx';
import { pageOf, useCall } from '../parts/calls.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';
import { type Area, useArea } from './area.tsx';
import { ResendButton } from './resend-button.tsx';

type Attempt = ItemOf<`${Area}_ListAttempts`>;

type Props = {
  filter: { Endpoint?: string; Outcome?: string };
  /** Says why the list is empty. */
  empty: string;
  /** The page, if the view's address says which one is shown. */
  place?: { cursor: string; onCursor: (cursor: string) => void };
};

/** The log: attempts, newest first, each with the receiver's answer. */
export function AttemptList({ filter, empty, place }: Props) {
  const { t } = useTexts();
  const { ID } = useTenant();
  const { area } = useArea();
  const [own, setOwn] = useState('');
  const { cursor, onCursor } = place ?? { cursor: own, onCursor: setOwn };
  const request = { Tenant: ID, ...filter, Page: { Limit: 20, Cursor: cursor } };
  const list = useCall(`${area}_ListAttempts`, request, { keepsPrevious: true });
  return (
    <>
      <CursorList
        label={t('webhooks.log')}
        columns={useColumns()}
        idOf={({ ID, Endpoint, StartedAt, Attempt }) => `${ID} ${Endpoint} ${StartedAt} ${Attempt}`}
        page={pageOf<`${Area}_ListAttempts`>(list.data)}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={onCursor}
        empty={
          <Paper withBorder p="md">
            <Text size="sm" c="dimmed">
              {empty}
            </Text>
          </Paper>
        }
      />
      <SameByApi operation={`${area}_ListAttempts`} request={request} />
    </>
  );
}

function useColumns(): Column<Attempt>[] {
  const { t } = useTexts();
  const { views, mayWrite } = useArea();
  return [
    {
      id: 'event',
      header: t('webhooks.event'),
      cell: ({ ID, Endpoint, EventType, StartedAt, Status }) => (
        <>
          <Anchor component={Link} to={`${views}/${Endpoint}/messages/${ID}`} size="sm" fw={500}>
            {EventType}
          </Anchor>
          <Text size="xs" c="dimmed">
            <Time at={StartedAt} />
          </Text>
          <Box hiddenFrom="sm">
            <Result status={Status} />
          </Box>
        </>
      ),
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
      id: 'took',
      header: t('webhooks.took'),
      isSecondary: true,
      cell: ({ DurationMs }) => (
        <Text size="sm">{t('webhooks.ms', { ms: String(DurationMs) })}</Text>
      ),
    },
    ...(mayWrite
      ? [
          {
            id: 'actions',
            header: t('webhooks.actions'),
            hasHiddenHeader: true,
            cell: (attempt: Attempt) =>
              attempt.Status === 'failed' && <ResendButton {...attempt} isCompact />,
          },
        ]
      : []),
  ];
}
