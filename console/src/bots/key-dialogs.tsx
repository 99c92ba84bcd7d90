import type { ItemOf } from '@bailiwick/client/client.ts';
import { NativeSelect, TagsInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { publicUrl } from '../parts/place.ts';
import { ShownOnce } from '../parts/shown-once.tsx';
import { useTexts } from '../parts/texts.tsx';
import { amountOf } from '../parts/times.ts';
import { useTenant } from '../shell/routes.tsx';
import type { Bot } from './bot-dialog.tsx';
import { daysAhead } from './key-state.ts';

type Key = ItemOf<'BotKeys_List'>;
type Props = { of: Key; onClose: () => void };

const stale = ['BotKeys_List'] as const;
const lifetimes = [7, 30, 90, 180, 365];

/** How long a key works. */
function Lifetime(props: object) {
  const { t, locale } = useTexts();
  return (
    <NativeSelect
      {...props}
      label={t('bots.lifetime')}
      description={t('bots.lifetimeAbout')}
      data={lifetimes.map((one) => ({ value: String(one), label: amountOf(one, 'day', locale) }))}
    />
  );
}

/** Creates a key for a bot. */
export function CreateKey({ bot, onClose }: { bot: Bot; onClose: () => void }) {
  const { t } = useTexts();
  const [secret, setSecret] = useState('');
  if (secret !== '') return <NewSecret secret={secret} onClose={onClose} />;
  return (
    <FormDialog
      title={t('bots.createKeyFor', { name: bot.Name })}
      onClose={onClose}
      operation="BotKeys_Create"
      initial={{ name: '', days: '90', permissions: [] as string[], networks: [] as string[] }}
      check={({ name }) => ({ name: name.trim() === '' ? t('bots.nameMissing') : null })}
      toRequest={({ name, days, permissions, networks }) => ({
        Tenant: bot.Tenant,
        Bot: bot.ID,
        Name: name.trim(),
        ExpiresAt: daysAhead(Number(days)),
        ...(permissions.length > 0 && { Permissions: permissions }),
        ...(networks.length > 0 && { AllowedIPs: networks }),
      })}
      stale={stale}
      onDone={({ Secret }) => setSecret(Secret)}
      submit={t('bots.createKey')}
    >
      {(form) => (
        <>
          <TextInput
            {...form.getInputProps('name')}
            label={t('bots.keyName')}
            description={t('bots.keyNameAbout')}
            maxLength={128}
            autoComplete="off"
            data-autofocus
          />
          <Lifetime {...form.getInputProps('days')} />
          <TagsInput
            {...form.getInputProps('permissions')}
            label={t('bots.permissions')}
            description={t('bots.permissionsAbout')}
            splitChars={[',', ' ']}
          />
          <TagsInput
            {...form.getInputProps('networks')}
            label={t('bots.networks')}
            description={t('bots.networksAbout')}
            splitChars={[',', ' ']}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Creates the successor of a key. */
export function RotateKey({ of, onClose }: Props) {
  const { t } = useTexts();
  const [secret, setSecret] = useState('');
  if (secret !== '') return <NewSecret secret={secret} onClose={onClose} />;
  return (
    <FormDialog
      title={t('bots.rotateOf', { name: of.Name })}
      onClose={onClose}
      operation="BotKeys_Rotate"
      initial={{ days: '90' }}
      toRequest={({ days }) => ({
        Tenant: of.Tenant,
        ID: of.ID,
        ExpiresAt: daysAhead(Number(days)),
      })}
      stale={stale}
      onDone={({ Secret }) => setSecret(Secret)}
      submit={t('bots.rotate')}
    >
      {(form) => (
        <>
          <Text size="sm">{t('bots.rotateAbout')}</Text>
          <Lifetime {...form.getInputProps('days')} />
        </>
      )}
    </FormDialog>
  );
}

/** Changes when a key ends. */
export function SetExpiry({ of, onClose }: Props) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={t('bots.expiryOf', { name: of.Name })}
      onClose={onClose}
      operation="BotKeys_SetExpiration"
      initial={{ days: '90' }}
      toRequest={({ days }) => ({
        Tenant: of.Tenant,
        ID: of.ID,
        ExpiresAt: daysAhead(Number(days)),
      })}
      stale={stale}
      notice={t('bots.expirySaved', { name: of.Name })}
      submit={t('form.save')}
    >
      {(form) => <Lifetime {...form.getInputProps('days')} />}
    </FormDialog>
  );
}

/** Ends a key at once. */
export function RevokeKey({ of, onClose }: Props) {
  const { t } = useTexts();
  const { Tenant, ID, Name } = of;
  return (
    <ActionDialog
      operation="BotKeys_SetExpiration"
      request={{ Tenant, ID, ExpiresAt: new Date(0).toISOString() }}
      stale={stale}
      title={t('bots.revokeOf', { name: Name })}
      action={t('bots.revoke')}
      phrase={Name}
      notice={t('bots.revokedOf', { name: of.Name })}
      onClose={onClose}
    >
      {t('bots.revokeAbout')}
    </ActionDialog>
  );
}

/** A key's secret with its first call. */
function NewSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTexts();
  const { ID: tenant } = useTenant();
  const code = [
    `export BAILIWICK_URL=${publicUrl}`,
    'export BAILIWICK_TOKEN=…',
    `bailiwick Access_ListPermissions --Tenant ${tenant}`,
  ].join('\n');
  return (
    <ShownOnce title={t('bots.newKey')} secret={secret} onClose={onClose}>
      <Text size="sm">{t('bots.useKey')}</Text>
      <CodeBlock code={code} name={t('bots.useKey')} />
    </ShownOnce>
  );
}
