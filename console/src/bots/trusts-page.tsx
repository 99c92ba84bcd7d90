import { Code, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import type { Column } from '../parts/cursor-list.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { ListView } from '../parts/list-view.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { publicUrl } from '../parts/place.ts';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import type { Bot } from './bot-dialog.tsx';
import { BotFrame } from './bot-frame.tsx';
import { kindNames, type Trust, TrustDialog } from './trust-dialog.tsx';
import { exchangeOf, kindOf } from './trust-forms.ts';

/** The tokens of other issuers that stand for a bot. */
export const TrustsPage = () => <BotFrame tab="trusts">{(bot) => <Trusts bot={bot} />}</BotFrame>;

function Trusts({ bot }: { bot: Bot }) {
  const { t } = useTexts();
  const { may } = useTenant();
  const mayWrite = may('iam.botkeys.write');
  const named = (text: string) => ({
    text,
    label: ({ Subject }: Trust) => `${text}: ${Subject}`,
  });
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed" size="sm" flex={1} miw={200}>
          {t('bots.trustsAbout')}
        </Text>
        {mayWrite && (
          <DialogButton
            text={t('bots.createTrust')}
            icon="plus"
            dialog={(onClose) => <Save bot={bot} onClose={onClose} />}
          />
        )}
      </Group>
      <ListView
        operation="BotTrusts_List"
        request={{ Tenant: bot.Tenant, Bot: bot.ID }}
        label={t('bots.trusts')}
        columns={useColumns()}
        idOf={({ ID }) => ID}
        actions={[
          {
            ...named(t('bots.use')),
            dialog: (trust, onClose) => <UseDialog trust={trust} onClose={onClose} />,
          },
          {
            ...named(t('bots.editShort')),
            may: mayWrite,
            dialog: (trust, onClose) => <Save bot={bot} trust={trust} onClose={onClose} />,
          },
          {
            ...named(t('bots.delete')),
            may: mayWrite,
            dialog: (trust, onClose) => <Delete trust={trust} onClose={onClose} />,
          },
        ]}
        empty={
          <Empty icon="shield" title={t('bots.noTrusts')} description={t('bots.noTrustsAbout')} />
        }
      />
    </Stack>
  );
}

function useColumns(): Column<Trust>[] {
  const { t } = useTexts();
  return [
    {
      id: 'issuer',
      header: t('bots.issuerKind'),
      cell: (trust) => <NameCell name={t(kindNames[kindOf(trust)])} detail={trust.Issuer} />,
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
  ];
}

/** The form of a trust, and then the way to use it. */
function Save({ bot, trust, onClose }: { bot: Bot; trust?: Trust; onClose: () => void }) {
  const [saved, setSaved] = useState<Trust>();
  if (saved) return <UseDialog trust={saved} onClose={onClose} />;
  return <TrustDialog bot={bot} {...(trust && { trust })} onClose={onClose} onSaved={setSaved} />;
}

function UseDialog({ trust, onClose }: { trust: Trust; onClose: () => void }) {
  const { t } = useTexts();
  const { Bot, Audience } = trust;
  const code = exchangeOf({ kind: kindOf(trust), url: publicUrl, bot: Bot, audience: Audience });
  return (
    <Dialog onClose={onClose} size="xl" title={t('bots.useTrust')}>
      <Stack>
        <Text size="sm">{t('bots.useTrustAbout')}</Text>
        <CodeBlock code={code} name={t('bots.useTrust')} />
      </Stack>
    </Dialog>
  );
}

function Delete({ trust, onClose }: { trust: Trust; onClose: () => void }) {
  const { t } = useTexts();
  const { Tenant, ID, Subject } = trust;
  return (
    <ActionDialog
      operation="BotTrusts_Delete"
      request={{ Tenant, ID }}
      stale={['BotTrusts_List']}
      title={t('bots.deleteTrust')}
      action={t('bots.delete')}
      onClose={onClose}
    >
      {t('bots.deleteTrustAbout', { subject: Subject })}
    </ActionDialog>
  );
}
