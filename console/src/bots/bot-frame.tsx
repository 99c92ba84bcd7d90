import { Group, Skeleton, Tabs } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { client, useCall } from '../parts/calls.ts';
import { Id } from '../parts/copy.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { ifUnchanged } from '../parts/edit-form.tsx';
import { Facts } from '../parts/facts.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { useNotify } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';
import { type Bot, BotDialog } from './bot-dialog.tsx';
import { StateBadge } from './state-badge.tsx';

const paths = { keys: '', trusts: '/trusts', roles: '/roles' } as const;
type Tab = keyof typeof paths;

type Props = { tab: Tab; children: (bot: Bot) => ReactNode };

/** The frame of the views of one bot: its state, and the way between its keys, trusts and roles. */
export function BotFrame({ tab, children }: Props) {
  const { t } = useTexts();
  const { ID, Slug, may } = useTenant();
  const { bot: id = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const { data, error, refetch } = useCall('Bots_Get', { Tenant: ID, ID: id });
  const back = { to: `/console/t/${Slug}/bots`, text: t('bots.bots') };
  if (!data)
    return (
      <Page title={t('bots.bot')} back={back}>
        {error ? (
          <FailureNotice error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton height={160} />
        )}
      </Page>
    );
  const bot = data.Bot;
  const at = `${back.to}/${bot.ID}`;
  return (
    <Page
      title={bot.Name}
      back={back}
      description={bot.Description || undefined}
      actions={may('iam.bots.write') && <Actions bot={bot} />}
    >
      <BotFacts bot={bot} />
      <Tabs
        value={tab}
        onChange={(next) => void navigate({ to: `${at}${paths[next as Tab]}` })}
        activateTabWithKeyboard={false}
      >
        <Tabs.List aria-label={bot.Name} mb="md">
          <Tabs.Tab value="keys">{t('bots.keys')}</Tabs.Tab>
          <Tabs.Tab value="trusts">{t('bots.trusts')}</Tabs.Tab>
          {may('iam.grants.read') && <Tabs.Tab value="roles">{t('access.roles')}</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value={tab}>{children(bot)}</Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function BotFacts({ bot }: { bot: Bot }) {
  const { t } = useTexts();
  const facts = [
    { name: 'ID', value: <Id id={bot.ID} /> },
    { name: t('bots.state'), value: <StateBadge state={bot.Active ? 'active' : 'disabled'} /> },
    {
      name: t('bots.used'),
      value: bot.LastUsedAt ? <Time at={bot.LastUsedAt} /> : t('bots.never'),
    },
    { name: t('bots.created'), value: <Time at={bot.CreatedAt} /> },
  ];
  return <Facts facts={facts} />;
}

function Actions({ bot }: { bot: Bot }) {
  const { t } = useTexts();
  const notify = useNotify();
  const onSaved = () => notify(t('bots.saved'));
  return (
    <Group gap="xs">
      <DialogButton
        text={t('bots.editShort')}
        dialog={(onClose) => <BotDialog bot={bot} onClose={onClose} onSaved={onSaved} />}
      />
      <DialogButton
        text={t(bot.Active ? 'bots.disable' : 'bots.enable')}
        dialog={(onClose) => <Switch bot={bot} onClose={onClose} />}
      />
      <DialogButton
        text={t('bots.delete')}
        dialog={(onClose) => <Delete bot={bot} onClose={onClose} />}
      />
    </Group>
  );
}

type DialogProps = { bot: Bot; onClose: () => void };

function Switch({ bot, onClose }: DialogProps) {
  const { t } = useTexts();
  const { ID, Tenant, Name, Active } = bot;
  const requestOf = (isActive: boolean, last: Bot) => ({
    Bot: { ID, Tenant, Name, Active: isActive },
    ...ifUnchanged(last),
  });
  return (
    <ActionDialog
      operation="Bots_Save"
      request={requestOf(!Active, bot)}
      stale={['Bots_Get', 'Bots_List']}
      title={t(Active ? 'bots.disableTitle' : 'bots.enableTitle', { name: Name })}
      action={t(Active ? 'bots.disable' : 'bots.enable')}
      notice={t(Active ? 'bots.disabledNow' : 'bots.enabledNow', { name: Name })}
      undo={({ Bot: saved }) => client.call('Bots_Save', requestOf(Active, saved))}
      onClose={onClose}
    >
      {t(Active ? 'bots.disableAbout' : 'bots.enableAbout')}
    </ActionDialog>
  );
}

function Delete({ bot, onClose }: DialogProps) {
  const { t } = useTexts();
  const navigate = useNavigate();
  const { Slug } = useTenant();
  const { ID, Tenant, Name } = bot;
  return (
    <ActionDialog
      operation="Bots_Delete"
      request={{ Tenant, ID }}
      stale={['Bots_List']}
      title={t('bots.deleteTitle', { name: Name })}
      action={t('bots.delete')}
      phrase={Name}
      notice={t('bots.deleted', { name: Name })}
      onDone={() => void navigate({ to: `/console/t/${Slug}/bots` })}
      onClose={onClose}
    >
      {t('bots.deleteAbout')}
    </ActionDialog>
  );
}
