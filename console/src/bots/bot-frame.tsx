import { Button, Group, Paper, Skeleton, Tabs, Text } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useCall, useChange } from '../parts/calls.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Id } from '../parts/copy.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { useNotify } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';
import { type Bot, BotDialog } from './bot-dialog.tsx';
import { StateBadge } from './state-badge.tsx';

type Props = { tab: 'keys' | 'trusts'; children: (bot: Bot) => ReactNode };

/** The frame of the views of one bot: its state, and the way between its keys and its trusts. */
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
      about={bot.Description || undefined}
      actions={may('iam.bots.write') && <Actions bot={bot} />}
    >
      <Facts bot={bot} />
      <Tabs
        value={tab}
        onChange={(next) => void navigate({ to: next === 'keys' ? at : `${at}/trusts` })}
        activateTabWithKeyboard={false}
      >
        <Tabs.List aria-label={bot.Name} mb="md">
          <Tabs.Tab value="keys">{t('bots.keys')}</Tabs.Tab>
          <Tabs.Tab value="trusts">{t('bots.trusts')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={tab}>{children(bot)}</Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Facts({ bot }: { bot: Bot }) {
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
  return (
    <Paper withBorder p="md">
      <Group gap="xl" align="start">
        {facts.map(({ name, value }) => (
          <div key={name}>
            <Text size="xs" c="dimmed">
              {name}
            </Text>
            <Text size="sm" component="div">
              {value}
            </Text>
          </div>
        ))}
      </Group>
    </Paper>
  );
}

function Actions({ bot }: { bot: Bot }) {
  const { t } = useTexts();
  const notify = useNotify();
  const [open, setOpen] = useState<'edit' | 'disable' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <Group gap="xs">
      <Button variant="default" onClick={() => setOpen('edit')}>
        {t('bots.editShort')}
      </Button>
      <Button variant="default" onClick={() => setOpen('disable')}>
        {t(bot.Active ? 'bots.disable' : 'bots.enable')}
      </Button>
      <Button variant="default" c="var(--mantine-color-error)" onClick={() => setOpen('delete')}>
        {t('bots.delete')}
      </Button>
      {open === 'edit' && (
        <BotDialog bot={bot} onClose={close} onSaved={() => notify(t('bots.saved'))} />
      )}
      {open === 'disable' && <Switch bot={bot} onClose={close} />}
      {open === 'delete' && <Delete bot={bot} onClose={close} />}
    </Group>
  );
}

type DialogProps = { bot: Bot; onClose: () => void };

function Switch({ bot, onClose }: DialogProps) {
  const { t } = useTexts();
  const { ID, Tenant, Name, Active, UpdatedAt } = bot;
  const change = useChange('Bots_Save', { stale: ['Bots_Get', 'Bots_List'] });
  const request = {
    Bot: { ID, Tenant, Name, Active: !Active },
    ...(UpdatedAt !== undefined && { IfUpdatedAt: UpdatedAt }),
  };
  return (
    <Confirm
      title={t(Active ? 'bots.disableTitle' : 'bots.enableTitle', { name: Name })}
      action={t(Active ? 'bots.disable' : 'bots.enable')}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate(request, { onSuccess: onClose })}
      onClose={onClose}
    >
      {t(Active ? 'bots.disableAbout' : 'bots.enableAbout')}
    </Confirm>
  );
}

function Delete({ bot, onClose }: DialogProps) {
  const { t } = useTexts();
  const notify = useNotify();
  const navigate = useNavigate();
  const { Slug } = useTenant();
  const { ID, Tenant, Name } = bot;
  const change = useChange('Bots_Delete', { stale: ['Bots_List'] });
  const onSuccess = () => {
    notify(t('bots.deleted', { name: Name }));
    void navigate({ to: `/console/t/${Slug}/bots` });
  };
  return (
    <Confirm
      title={t('bots.deleteTitle', { name: Name })}
      action={t('bots.delete')}
      phrase={Name}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ Tenant, ID }, { onSuccess })}
      onClose={onClose}
    >
      {t('bots.deleteAbout')}
    </Confirm>
  );
}
