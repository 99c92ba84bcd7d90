import type { ItemOf } from '@bailiwick/client/client.ts';
import { Stack, Text } from '@mantine/core';
import type { Column } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { ListView } from '../parts/list-view.tsx';
import { StateOf, type States } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useOwner } from '../shell/owner.ts';
import { AppFrame } from './app-frame.tsx';
import type { App } from './kinds.ts';

type Attempt = ItemOf<'AppLogouts_ListAttempts'>;

const results: States = {
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
  const isOff = app.BackchannelLogoutURI === '';
  return (
    <Stack>
      <ListView
        operation="AppLogouts_ListAttempts"
        request={{ ...scope, App: app.ID }}
        label={t('apps.signOuts')}
        columns={useColumns()}
        idOf={({ ID, Attempt }) => `${ID} ${Attempt}`}
        empty={
          <Empty
            icon="out"
            title={t(isOff ? 'apps.signOutsOff' : 'apps.noSignOuts')}
            description={t(isOff ? 'apps.signOutsOffAbout' : 'apps.noSignOutsAbout')}
          />
        }
      />
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
    {
      id: 'result',
      header: t('apps.result'),
      cell: ({ Status }) => <StateOf states={results} state={Status} />,
    },
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
