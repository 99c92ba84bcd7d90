import type { ItemOf } from '@bailiwick/client/client.ts';
import { Stack, Text } from '@mantine/core';
import { pageOf, useCall } from '../parts/calls.ts';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { State } from '../parts/state.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useOwner } from '../shell/owner.ts';
import { AppFrame } from './app-frame.tsx';
import type { App } from './kinds.ts';

type Attempt = ItemOf<'AppLogouts_ListAttempts'>;

const results: Readonly<Record<string, { text: TextKey; color: string }>> = {
  delivered: { text: 'apps.told', color: 'teal.9' },
  retry: { text: 'apps.willRetry', color: 'orange.9' },
  failed: { text: 'apps.failed', color: 'red.8' },
  dropped: { text: 'apps.dropped', color: 'gray.7' },
};

/** The calls that told the app of ended sessions. */
export const SignOutsPage = () => (
  <AppFrame tab="signOuts">{(app) => <SignOuts app={app} />}</AppFrame>
);

function SignOuts({ app }: { app: App }) {
  const { t } = useTexts();
  const { scope } = useOwner();
  const { cursor, onCursor } = useCursor();
  const request = { ...scope, App: app.ID, Page: { Limit: 25, Cursor: cursor } };
  const list = useCall('AppLogouts_ListAttempts', request, { keepsPrevious: true });
  const isOff = app.BackchannelLogoutURI === '';
  return (
    <Stack>
      <CursorList
        label={t('apps.signOuts')}
        columns={useColumns()}
        idOf={({ ID, Attempt }) => `${ID} ${Attempt}`}
        page={pageOf<'AppLogouts_ListAttempts'>(list.data)}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={onCursor}
        empty={
          <Empty
            icon="out"
            title={t(isOff ? 'apps.signOutsOff' : 'apps.noSignOuts')}
            about={t(isOff ? 'apps.signOutsOffAbout' : 'apps.noSignOutsAbout')}
          />
        }
      />
      <SameByApi operation="AppLogouts_ListAttempts" request={request} />
    </Stack>
  );
}

function useColumns(): Column<Attempt>[] {
  const { t } = useTexts();
  return [
    {
      id: 'time',
      header: t('apps.when'),
      cell: ({ StartedAt, EventType }) => (
        <>
          <Text size="sm">
            <Time at={StartedAt} />
          </Text>
          <Text size="xs" c="dimmed">
            {EventType}
          </Text>
        </>
      ),
    },
    { id: 'result', header: t('apps.result'), cell: ({ Status }) => <Result status={Status} /> },
    {
      id: 'answer',
      header: t('apps.answer'),
      isSecondary: true,
      cell: ({ StatusCode, Message, Error: kind }) => (
        <>
          <Text size="sm">{StatusCode === 0 ? '–' : StatusCode}</Text>
          <Text size="xs" c="dimmed" lang="en">
            {Message || kind}
          </Text>
        </>
      ),
    },
  ];
}

function Result({ status }: { status: string }) {
  const { t } = useTexts();
  const known = results[status];
  return <State color={known?.color ?? 'gray.7'}>{known ? t(known.text) : status}</State>;
}
