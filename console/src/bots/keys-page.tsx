import type { ItemOf } from '@bailiwick/client/client.ts';
import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { pageOf, useCall } from '../parts/calls.ts';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { RowAction } from '../parts/row-action.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';
import type { Bot } from './bot-dialog.tsx';
import { BotFrame } from './bot-frame.tsx';
import { CreateKey, NewSecret, RevokeKey, RotateKey, SetExpiry } from './key-dialogs.tsx';
import { stateOf } from './key-state.ts';
import { StateBadge } from './state-badge.tsx';

type Key = ItemOf<'BotKeys_List'>;
type Asked = { what: 'rotate' | 'expiry' | 'revoke'; key: Key } | { what: 'create' };

/** A bot's keys. */
export const KeysPage = () => <BotFrame tab="keys">{(bot) => <Keys bot={bot} />}</BotFrame>;

function Keys({ bot }: { bot: Bot }) {
  const { t } = useTexts();
  const { may } = useTenant();
  const [asked, setAsked] = useState<Asked>();
  const [secret, setSecret] = useState<string>();
  const { cursor, onCursor } = useCursor();
  const request = { Tenant: bot.Tenant, Bot: bot.ID, Page: { Limit: 25, Cursor: cursor } };
  const list = useCall('BotKeys_List', request, { keepsPrevious: true });
  const mayWrite = may('iam.botkeys.write');
  const close = () => setAsked(undefined);
  const show = (fresh: string) => {
    close();
    setSecret(fresh);
  };
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed" size="sm" flex={1} miw={200}>
          {t('bots.keysAbout')}
        </Text>
        {mayWrite && (
          <Button leftSection={<Icon name="plus" />} onClick={() => setAsked({ what: 'create' })}>
            {t('bots.createKey')}
          </Button>
        )}
      </Group>
      <CursorList
        label={t('bots.keys')}
        columns={useColumns(mayWrite ? setAsked : undefined)}
        idOf={({ ID }) => ID}
        page={pageOf<'BotKeys_List'>(list.data)}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={onCursor}
        empty={<Empty icon="key" title={t('bots.noKeys')} about={t('bots.noKeysAbout')} />}
      />
      <SameByApi operation="BotKeys_List" request={request} />
      {asked?.what === 'create' && <CreateKey bot={bot} onSecret={show} onClose={close} />}
      {asked?.what === 'rotate' && <RotateKey of={asked.key} onSecret={show} onClose={close} />}
      {asked?.what === 'expiry' && <SetExpiry of={asked.key} onClose={close} />}
      {asked?.what === 'revoke' && <RevokeKey of={asked.key} onClose={close} />}
      {secret !== undefined && <NewSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </Stack>
  );
}

function useColumns(onAsk: ((asked: Asked) => void) | undefined): Column<Key>[] {
  const { t } = useTexts();
  return [
    {
      id: 'name',
      header: t('bots.key'),
      cell: ({ Name, Prefix, Last4 }) => (
        <>
          <Text size="sm" fw={500}>
            {Name}
          </Text>
          <Code>
            {Prefix}…{Last4}
          </Code>
        </>
      ),
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
    ...(onAsk
      ? [
          {
            id: 'actions',
            header: t('bots.actions'),
            hasHiddenHeader: true,
            cell: (key: Key) => <KeyActions of={key} onAsk={onAsk} />,
          },
        ]
      : []),
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

function KeyActions({ of, onAsk }: { of: Key; onAsk: (asked: Asked) => void }) {
  const { t } = useTexts();
  const state = stateOf(of);
  if (state === 'expired' || state === 'revoked') return undefined;
  return (
    <Group gap={4} justify="end">
      <RowAction
        aria-label={t('bots.rotateOf', { name: of.Name })}
        onClick={() => onAsk({ what: 'rotate', key: of })}
      >
        {t('bots.rotate')}
      </RowAction>
      <RowAction
        aria-label={t('bots.expiryOf', { name: of.Name })}
        onClick={() => onAsk({ what: 'expiry', key: of })}
      >
        {t('bots.expiry')}
      </RowAction>
      <RowAction
        isRed
        aria-label={t('bots.revokeOf', { name: of.Name })}
        onClick={() => onAsk({ what: 'revoke', key: of })}
      >
        {t('bots.revoke')}
      </RowAction>
    </Group>
  );
}
