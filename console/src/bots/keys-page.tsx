import type { ItemOf } from '@bailiwick/client/client.ts';
import { Group, Stack, Text } from '@mantine/core';
import type { Column } from '../parts/cursor-list.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { ListView } from '../parts/list-view.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';
import type { Bot } from './bot-dialog.tsx';
import { BotFrame } from './bot-frame.tsx';
import { CreateKey, RevokeKey, RotateKey, SetExpiry } from './key-dialogs.tsx';
import { stateOf } from './key-state.ts';
import { StateBadge } from './state-badge.tsx';

type Key = ItemOf<'BotKeys_List'>;

export const KeysPage = () => <BotFrame tab="keys">{(bot) => <Keys bot={bot} />}</BotFrame>;

function Keys({ bot }: { bot: Bot }) {
  const { t } = useTexts();
  const { may } = useTenant();
  const mayWrite = may('iam.botkeys.write');
  const common = {
    may: mayWrite,
    isOffered: (key: Key) => !['expired', 'revoked'].includes(stateOf(key)),
  };
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed" size="sm" flex={1} miw={200}>
          {t('bots.keysAbout')}
        </Text>
        {mayWrite && (
          <DialogButton
            text={t('bots.createKey')}
            icon="plus"
            dialog={(onClose) => <CreateKey bot={bot} onClose={onClose} />}
          />
        )}
      </Group>
      <ListView
        operation="BotKeys_List"
        request={{ Tenant: bot.Tenant, Bot: bot.ID }}
        label={t('bots.keys')}
        columns={useColumns()}
        idOf={({ ID }) => ID}
        actions={[
          {
            ...common,
            text: t('bots.rotate'),
            label: ({ Name }) => t('bots.rotateOf', { name: Name }),
            dialog: (key, onClose) => <RotateKey of={key} onClose={onClose} />,
          },
          {
            ...common,
            text: t('bots.expiry'),
            label: ({ Name }) => t('bots.expiryOf', { name: Name }),
            dialog: (key, onClose) => <SetExpiry of={key} onClose={onClose} />,
          },
          {
            ...common,
            text: t('bots.revoke'),
            label: ({ Name }) => t('bots.revokeOf', { name: Name }),
            dialog: (key, onClose) => <RevokeKey of={key} onClose={onClose} />,
          },
        ]}
        empty={<Empty icon="key" title={t('bots.noKeys')} description={t('bots.noKeysAbout')} />}
      />
    </Stack>
  );
}

function useColumns(): Column<Key>[] {
  const { t } = useTexts();
  return [
    {
      id: 'name',
      header: t('bots.key'),
      cell: ({ Name, Prefix, Last4 }) => <NameCell name={Name} detail={`${Prefix}…${Last4}`} />,
    },
    { id: 'state', header: t('bots.state'), cell: (key) => <StateBadge state={stateOf(key)} /> },
    {
      id: 'limits',
      header: t('bots.limits'),
      isSecondary: true,
      cell: ({ Permissions, AllowedIPs }) => <Limits of={[...Permissions, ...AllowedIPs]} />,
    },
    {
      id: 'expires',
      header: t('bots.expires'),
      isSecondary: true,
      cell: ({ ExpiresAt }) => <Time at={ExpiresAt} />,
    },
    {
      id: 'used',
      header: t('bots.used'),
      isSecondary: true,
      cell: ({ LastUsedAt }) => (LastUsedAt ? <Time at={LastUsedAt} /> : t('bots.never')),
    },
  ];
}

function Limits({ of }: { of: readonly string[] }) {
  const { t } = useTexts();
  if (of.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('bots.unlimited')}
      </Text>
    );
  return (
    <Text size="xs" ff="monospace" lineClamp={3}>
      {of.join(', ')}
    </Text>
  );
}
