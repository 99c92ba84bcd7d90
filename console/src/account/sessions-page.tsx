import type { ItemOf } from '@bailiwick/client/client.ts';
import { Group, Text } from '@mantine/core';
import { ActionDialog } from '../parts/action-dialog.tsx';
import type { Column } from '../parts/cursor-list.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { ListView } from '../parts/list-view.tsx';
import { Page } from '../parts/page.tsx';
import { pageAt } from '../parts/place.ts';
import { State } from '../parts/state.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { type Translate, useTexts } from '../parts/texts.tsx';
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

/** The name of a session's device, from its browser. */
export const nameOfDevice = ({ UserAgent }: Session, t: Translate): string =>
  deviceOf(UserAgent) || t('account.unknownDevice');

/** Where the user is signed in, and the way to end a session. */
export function SessionsPage() {
  const { t } = useTexts();
  return (
    <Page
      title={t('account.sessions')}
      description={t('account.sessionsAbout')}
      actions={
        <DialogButton
          text={t('account.endAll')}
          dialog={(onClose) => <EndAll onClose={onClose} />}
        />
      }
    >
      <ListView
        operation="Sessions_List"
        request={{}}
        label={t('account.sessions')}
        columns={useSessionColumns()}
        idOf={({ ID }) => ID}
        actions={[
          {
            text: t('account.end'),
            label: (session) => t('account.endOf', { device: nameOfDevice(session, t) }),
            isOffered: ({ Current }) => !Current,
            dialog: (session, onClose) => <End session={session} onClose={onClose} />,
          },
        ]}
        empty={
          <Empty
            icon="devices"
            title={t('account.sessions')}
            description={t('account.sessionsAbout')}
          />
        }
      />
    </Page>
  );
}

/** The columns of a list of sessions. */
export function useSessionColumns(): Column<Session>[] {
  const { t } = useTexts();
  return [
    {
      id: 'device',
      header: t('account.device'),
      cell: (session) => (
        <>
          <Group gap="xs">
            <Text size="sm" fw={600} title={session.UserAgent}>
              {nameOfDevice(session, t)}
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
        const text = methods[AuthMethod];
        return text ? t(text) : AuthMethod;
      },
    },
    { id: 'seen', header: t('account.seen'), cell: ({ LastSeenAt }) => <Time at={LastSeenAt} /> },
    {
      id: 'created',
      header: t('account.begun'),
      isSecondary: true,
      cell: ({ CreatedAt }) => <Time at={CreatedAt} />,
    },
  ];
}

function End({ session, onClose }: { session: Session; onClose: () => void }) {
  const { t } = useTexts();
  const device = nameOfDevice(session, t);
  return (
    <ActionDialog
      operation="Sessions_Revoke"
      request={{ ID: session.ID }}
      stale={['Sessions_List']}
      title={t('account.endTitle')}
      action={t('account.end')}
      notice={t('account.endedOf', { device })}
      onClose={onClose}
    >
      {t('account.endAbout', { device })}
    </ActionDialog>
  );
}

/** Ends this session too, so it leads to the page for users who have signed out. */
function EndAll({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const onSuccess = () => location.assign(pageAt('signed-out'));
  return (
    <ActionDialog
      operation="Sessions_RevokeAll"
      request={{}}
      title={t('account.endAll')}
      action={t('account.endAll')}
      onDone={onSuccess}
      onClose={onClose}
    >
      {t('account.endAllAbout')}
    </ActionDialog>
  );
}
