import { Group, Skeleton, Tabs } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCall } from '../parts/calls.ts';
import { DialogButton } from '../parts/dialog-button.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useOwner } from '../shell/owner.ts';
import { DeleteApp, RotateSecret } from './app-dialogs.tsx';
import { AppState } from './apps-page.tsx';
import { type App, type Kind, kindTexts } from './kinds.ts';

const paths = { connect: '', settings: '/settings', signOuts: '/sign-outs' } as const;
type Tab = keyof typeof paths;

/** The frame of the views of one app. */
export function AppFrame({ tab, children }: { tab: Tab; children: (app: App) => ReactNode }) {
  const { t } = useTexts();
  const { scope, at, may } = useOwner();
  const { app: id = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const { data, error, refetch } = useCall('Apps_Get', { ...scope, ID: id });
  const back = { to: `${at}/apps`, text: t('apps.apps') };
  if (!data)
    return (
      <Page title={t('apps.app')} back={back}>
        {error ? (
          <FailureNotice error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton height={160} />
        )}
      </Page>
    );
  const app = data.App;
  const open = (next: string | null) =>
    void navigate({ to: `${back.to}/${app.ID}${paths[next as Tab]}` });
  return (
    <Page
      title={app.Name}
      back={back}
      description={t(kindTexts[app.Kind as Kind].text)}
      actions={may('apps.write') && <Actions app={app} />}
    >
      <Group>
        <AppState isActive={app.Active} />
      </Group>
      <Tabs value={tab} onChange={open} activateTabWithKeyboard={false}>
        <Tabs.List aria-label={app.Name} mb="md">
          <Tabs.Tab value="connect">{t('apps.connect')}</Tabs.Tab>
          <Tabs.Tab value="settings">{t('apps.settings')}</Tabs.Tab>
          <Tabs.Tab value="signOuts">{t('apps.signOuts')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={tab}>{children(app)}</Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Actions({ app }: { app: App }) {
  const { t } = useTexts();
  return (
    <Group gap="xs">
      {app.SecretCreatedAt !== undefined && (
        <DialogButton
          text={t('apps.rotate')}
          dialog={(onClose) => <RotateSecret app={app} onClose={onClose} />}
        />
      )}
      <DialogButton
        text={t('apps.delete')}
        dialog={(onClose) => <DeleteApp app={app} onClose={onClose} />}
      />
    </Group>
  );
}
