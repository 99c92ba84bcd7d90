import type { ItemOf } from '@bailiwick/client/client.ts';
import { Anchor, Box, Paper, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ReceiverAnswer, Result } from '../deliveries/result.tsx';
import type { CursorPlace } from '../parts/cursor.ts';
import type { Column } from '../parts/cursor-list.tsx';
import { ListView } from '../parts/list-view.tsx';
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
  place?: CursorPlace;
};

/** The log: messages, those with the newest attempt first, each with the receiver's last answer. */
export function AttemptList({ filter, empty, place }: Props) {
  const { t } = useTexts();
  const { ID } = useTenant();
  const { area } = useArea();
  const [cursor, onCursor] = useState('');
  return (
    <ListView
      operation={`${area}_ListAttempts`}
      request={{ Tenant: ID, Latest: true, ...filter }}
      label={t('webhooks.log')}
      columns={useColumns()}
      idOf={({ ID, Endpoint }) => `${ID} ${Endpoint}`}
      limit={20}
      place={place ?? { cursor, onCursor }}
      empty={
        <Paper withBorder p="md">
          <Text size="sm" c="dimmed">
            {empty}
          </Text>
        </Paper>
      }
    />
  );
}

/** The event with a link to its message, which a test has none of, its time and, on narrow screens, the result. */
function EventCell({ ID, Endpoint, EventType, StartedAt, Status }: Attempt) {
  const { views } = useArea();
  return (
    <>
      {EventType === 'endpoint.ping' ? (
        <Text size="sm" fw={600}>
          {EventType}
        </Text>
      ) : (
        <Anchor component={Link} to={`${views}/${Endpoint}/messages/${ID}`} size="sm" fw={600}>
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

function useColumns(): Column<Attempt>[] {
  const { t } = useTexts();
  const { mayWrite } = useArea();
  return [
    {
      id: 'event',
      header: t('webhooks.event'),
      cell: (attempt) => <EventCell {...attempt} />,
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
            header: t('list.actions'),
            hasHiddenHeader: true,
            cell: (attempt: Attempt) =>
              ['failed', 'retry'].includes(attempt.Status) &&
              attempt.EventType !== 'endpoint.ping' && (
                <ResendButton {...attempt} isCompact isWaiting={attempt.Status === 'retry'} />
              ),
          },
        ]
      : []),
  ];
}
