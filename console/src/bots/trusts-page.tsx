import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { pageOf, useCall, useChange } from '../parts/calls.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { publicUrl } from '../parts/place.ts';
import { RowAction } from '../parts/row-action.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import type { Bot } from './bot-dialog.tsx';
import { BotFrame } from './bot-frame.tsx';
import { kindNames, type Trust, TrustDialog } from './trust-dialog.tsx';
import { exchangeOf, kindOf } from './trust-forms.ts';

type Asked = { what: 'create' } | { what: 'edit' | 'delete' | 'use'; trust: Trust };

/** The tokens of other issuers that stand for a bot. */
export const TrustsPage = () => <BotFrame tab="trusts">{(bot) => <Trusts bot={bot} />}</BotFrame>;

function Trusts({ bot }: { bot: Bot }) {
  const { t } = useTexts();
  const { may } = useTenant();
  const [asked, setAsked] = useState<Asked>();
  const { cursor, onCursor } = useCursor();
  const request = { Tenant: bot.Tenant, Bot: bot.ID, Page: { Limit: 25, Cursor: cursor } };
  const list = useCall('BotTrusts_List', request, { keepsPrevious: true });
  const mayWrite = may('iam.botkeys.write');
  const close = () => setAsked(undefined);
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed" size="sm" flex={1} miw={200}>
          {t('bots.trustsAbout')}
        </Text>
        {mayWrite && (
          <Button leftSection={<Icon name="plus" />} onClick={() => setAsked({ what: 'create' })}>
            {t('bots.createTrust')}
          </Button>
        )}
      </Group>
      <CursorList
        label={t('bots.trusts')}
        columns={useColumns(setAsked, mayWrite)}
        idOf={({ ID }) => ID}
        page={pageOf<'BotTrusts_List'>(list.data)}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={onCursor}
        empty={<Empty icon="shield" title={t('bots.noTrusts')} about={t('bots.noTrustsAbout')} />}
      />
      <SameByApi operation="BotTrusts_List" request={request} />
      {(asked?.what === 'create' || asked?.what === 'edit') && (
        <TrustDialog
          bot={bot}
          {...(asked.what === 'edit' && { trust: asked.trust })}
          onClose={close}
          onSaved={(trust) => setAsked({ what: 'use', trust })}
        />
      )}
      {asked?.what === 'use' && <Use trust={asked.trust} onClose={close} />}
      {asked?.what === 'delete' && <Delete trust={asked.trust} onClose={close} />}
    </Stack>
  );
}

function useColumns(onAsk: (asked: Asked) => void, mayWrite: boolean): Column<Trust>[] {
  const { t } = useTexts();
  return [
    {
      id: 'issuer',
      header: t('bots.issuerKind'),
      cell: (trust) => (
        <>
          <Text size="sm" fw={500}>
            {t(kindNames[kindOf(trust)])}
          </Text>
          <Text size="xs" c="dimmed">
            {trust.Issuer}
          </Text>
        </>
      ),
    },
    {
      id: 'subject',
      header: t('bots.subject'),
      cell: ({ Subject, Claims }) => (
        <>
          <Code>{Subject}</Code>
          {Object.entries(Claims).map(([name, value]) => (
            <Text key={name} size="xs" c="dimmed">
              {name} = {value}
            </Text>
          ))}
        </>
      ),
    },
    {
      id: 'actions',
      header: t('bots.actions'),
      hasHiddenHeader: true,
      cell: (trust) => (
        <Group gap={4} justify="end">
          <Action text={t('bots.use')} of={trust} onClick={() => onAsk({ what: 'use', trust })} />
          {mayWrite && (
            <>
              <Action
                text={t('bots.editShort')}
                of={trust}
                onClick={() => onAsk({ what: 'edit', trust })}
              />
              <Action
                text={t('bots.delete')}
                of={trust}
                isRed
                onClick={() => onAsk({ what: 'delete', trust })}
              />
            </>
          )}
        </Group>
      ),
    },
  ];
}

type ActionProps = { text: string; of: Trust; isRed?: boolean; onClick: () => void };

const Action = ({ text, of, isRed = false, onClick }: ActionProps) => (
  <RowAction isRed={isRed} aria-label={`${text}: ${of.Subject}`} onClick={onClick}>
    {text}
  </RowAction>
);

function Use({ trust, onClose }: { trust: Trust; onClose: () => void }) {
  const { t } = useTexts();
  const { Bot, Audience } = trust;
  const code = exchangeOf({ kind: kindOf(trust), url: publicUrl, bot: Bot, audience: Audience });
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      title={t('bots.useTrust')}
      closeButtonProps={{ 'aria-label': t('form.close') }}
    >
      <Stack>
        <Text size="sm">{t('bots.useTrustAbout')}</Text>
        <CodeBlock code={code} name={t('bots.useTrust')} />
      </Stack>
    </Modal>
  );
}

function Delete({ trust, onClose }: { trust: Trust; onClose: () => void }) {
  const { t } = useTexts();
  const { Tenant, ID, Subject } = trust;
  const change = useChange('BotTrusts_Delete', { stale: ['BotTrusts_List'] });
  return (
    <Confirm
      title={t('bots.deleteTrust')}
      action={t('bots.delete')}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ Tenant, ID }, { onSuccess: onClose })}
      onClose={onClose}
    >
      {t('bots.deleteTrustAbout', { subject: Subject })}
    </Confirm>
  );
}
