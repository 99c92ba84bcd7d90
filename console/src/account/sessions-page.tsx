import type { ItemOf } from '@bailiwick/client/client.ts';
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { pageOf, useCall, useChange } from '../parts/calls.ts';
import { Confirm } from '../parts/confirm.tsx';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { useNotify } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { pageAt } from '../parts/place.ts';
import { RowAction } from '../parts/row-action.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { State } from '../parts/state.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { deviceOf } from './device.ts';

type Session = ItemOf<'Sessions_List'>;

const methods: Readonly<Record<string, TextKey>> = {
  password: 'method.password',
  passkey: 'method.passkey',
  email_code: 'method.code',
  oidc: 'method.organisation',
  saml: 'method.organisation',
  oauth: 'method.provider',
  support: 'method.support',
};

/** Where the user is signed in, and the way to end a session. */
export function SessionsPage() {
  const { t } = useTexts();
  const [ended, setEnded] = useState<Session>();
  const [endsAll, setEndsAll] = useState(false);
  const { cursor, onCursor } = useCursor();
  const request = { Page: { Limit: 25, Cursor: cursor } };
  const list = useCall('Sessions_List', request, { keepsPrevious: true });
  return (
    <Page
      title={t('account.sessions')}
      about={t('account.sessionsAbout')}
      actions={
        <Button variant="default" onClick={() => setEndsAll(true)}>
          {t('account.endAll')}
        </Button>
      }
    >
      <CursorList
        label={t('account.sessions')}
        columns={useColumns(setEnded)}
        idOf={({ ID }) => ID}
        page={pageOf<'Sessions_List'>(list.data)}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={onCursor}
        empty={
          <Empty icon="devices" title={t('account.sessions')} about={t('account.sessionsAbout')} />
        }
      />
      <SameByApi operation="Sessions_List" request={request} />
      {ended && <End session={ended} onClose={() => setEnded(undefined)} />}
      {endsAll && <EndAll onClose={() => setEndsAll(false)} />}
    </Page>
  );
}

function useColumns(onEnd: (session: Session) => void): Column<Session>[] {
  const { t } = useTexts();
  const nameOf = ({ UserAgent }: Session) => deviceOf(UserAgent) || t('account.unknownDevice');
  return [
    {
      id: 'device',
      header: t('account.device'),
      cell: (session) => (
        <>
          <Group gap="xs">
            <Text size="sm" fw={500} title={session.UserAgent}>
              {nameOf(session)}
            </Text>
            {session.Current && <State>{t('account.thisSession')}</State>}
          </Group>
          {session.Operator !== '' && (
            <Text size="xs" c="dimmed">
              {t('account.supportReason', { reason: session.Reason })}
            </Text>
          )}
        </>
      ),
    },
    { id: 'ip', header: t('account.address'), isSecondary: true, cell: ({ IP }) => IP },
    {
      id: 'method',
      header: t('account.method'),
      isSecondary: true,
      cell: ({ AuthMethod }) => {
        const known = methods[AuthMethod];
        return known ? t(known) : AuthMethod;
      },
    },
    { id: 'seen', header: t('account.seen'), cell: ({ LastSeenAt }) => <Time at={LastSeenAt} /> },
    {
      id: 'created',
      header: t('account.begun'),
      isSecondary: true,
      cell: ({ CreatedAt }) => <Time at={CreatedAt} />,
    },
    {
      id: 'actions',
      header: t('account.actions'),
      hasHiddenHeader: true,
      cell: (session) =>
        !session.Current && (
          <RowAction
            isRed
            aria-label={t('account.endOf', { device: nameOf(session) })}
            onClick={() => onEnd(session)}
          >
            {t('account.end')}
          </RowAction>
        ),
    },
  ];
}

function End({ session, onClose }: { session: Session; onClose: () => void }) {
  const { t } = useTexts();
  const notify = useNotify();
  const change = useChange('Sessions_Revoke', { stale: ['Sessions_List'] });
  const device = deviceOf(session.UserAgent) || t('account.unknownDevice');
  const onSuccess = () => {
    onClose();
    notify(t('account.endedOf', { device }));
  };
  return (
    <Confirm
      title={t('account.endTitle')}
      action={t('account.end')}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ ID: session.ID }, { onSuccess })}
      onClose={onClose}
    >
      {t('account.endAbout', { device })}
    </Confirm>
  );
}

/** Ends this session too, so it leads to the page for users who have signed out. */
function EndAll({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const change = useChange('Sessions_RevokeAll');
  const onSuccess = () => location.assign(pageAt('signed-out'));
  return (
    <Confirm
      title={t('account.endAll')}
      action={t('account.endAll')}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({}, { onSuccess })}
      onClose={onClose}
    >
      {t('account.endAllAbout')}
    </Confirm>
  );
}
