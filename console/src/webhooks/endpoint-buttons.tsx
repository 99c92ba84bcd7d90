import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Button, Menu, Select, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts.tsx';
import { amountOf } from '../parts/times.ts';
import { type Area, useArea } from './area.tsx';
import { EditChatDialog } from './chat-dialogs.tsx';
import { EditDialog } from './endpoint-dialog.tsx';
import { NewSecret } from './new-secret.tsx';
import { ShareDialog } from './share-dialog.tsx';
import { TestDialog } from './test-dialog.tsx';

type Endpoint = ResponseOf<`${Area}_GetEndpoint`>['Endpoint'];
type Props = { endpoint: Endpoint; onClose: () => void };
type DialogName = 'edit' | 'share' | 'test' | 'replay' | 'rotate' | 'toggle' | 'delete';

/** Changes, tests and deletes an endpoint. */
export function EndpointButtons({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useTexts();
  const [open, setOpen] = useState<DialogName>();
  const { Active } = endpoint;
  const props = { endpoint, onClose: () => setOpen(undefined) };
  const dialogs: Record<DialogName, () => ReactNode> = {
    edit: () =>
      'URL' in endpoint ? (
        <EditDialog endpoint={endpoint} onClose={props.onClose} />
      ) : (
        <EditChatDialog endpoint={endpoint} onClose={props.onClose} />
      ),
    share: () => 'URL' in endpoint && <ShareDialog endpoint={endpoint} onClose={props.onClose} />,
    test: () => <TestDialog {...props} />,
    replay: () => <ReplayDialog {...props} />,
    rotate: () => <RotateDialog {...props} />,
    toggle: () => <Toggle {...props} />,
    delete: () => <Delete {...props} />,
  };
  // A chat channel has no receiver's portal, and no secret of ours.
  const forUrl = (button: [DialogName, string]) => ('URL' in endpoint ? [button] : []);
  const items: Array<[DialogName, string]> = [
    ['edit', t('webhooks.edit')],
    ...forUrl(['share', t('share.title')]),
    ['replay', t('webhooks.replay')],
    ...forUrl(['rotate', t('webhooks.rotate')]),
    ['toggle', t(Active ? 'webhooks.deactivate' : 'webhooks.activate')],
  ];
  return (
    <Button.Group>
      <Button variant="default" onClick={() => setOpen('test')}>
        {t('webhooks.test')}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<Icon name="chevron" size={16} />}>
            {t('webhooks.more')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {items.map(([name, text]) => (
            <Menu.Item key={name} onClick={() => setOpen(name)}>
              {text}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={() => setOpen('delete')}>{t('webhooks.delete')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {open && dialogs[open]()}
    </Button.Group>
  );
}

const hours = [1, 24, 7 * 24, 30 * 24];

/** Sends the failed messages of the last hours again. */
function ReplayDialog({ endpoint: { Tenant, ID }, onClose }: Props) {
  const { t, locale } = useTexts();
  const { area } = useArea();
  const text = (count: number) =>
    count < 48 ? amountOf(count, 'hour', locale) : amountOf(count / 24, 'day', locale);
  return (
    <FormDialog
      title={t('webhooks.replay')}
      onClose={onClose}
      operation={`${area}_ReplayFailed`}
      initial={{ hours: '24' }}
      toRequest={(fields) => ({
        Tenant,
        ID,
        Since: new Date(Date.now() - Number(fields.hours) * 3_600_000).toISOString(),
      })}
      stale={[`${area}_ListAttempts`]}
      notice={({ Queued }) => t('webhooks.replayed', { count: String(Queued) })}
      submit={t('webhooks.replayNow')}
    >
      {(form) => (
        <>
          <Text size="sm">{t('webhooks.replayAbout')}</Text>
          <Select
            {...form.getInputProps('hours')}
            label={t('webhooks.replaySince')}
            data={hours.map((count) => ({ value: String(count), label: text(count) }))}
            allowDeselect={false}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Replaces the secret. The old one signs too for some hours, so that no delivery is refused. */
function RotateDialog({ endpoint, onClose }: Props) {
  const { t } = useTexts();
  const [secret, setSecret] = useState('');
  const { Tenant, ID } = endpoint;
  const graces = {
    '0': 'webhooks.graceNone',
    '86400': 'webhooks.graceDay',
    '604800': 'webhooks.graceWeek',
  } as const;
  if (secret !== '') return <NewSecret secret={secret} onClose={onClose} />;
  return (
    <FormDialog
      title={t('webhooks.rotate')}
      onClose={onClose}
      operation="Webhooks_RotateSecret"
      initial={{ grace: '86400' }}
      toRequest={({ grace }) => ({ Tenant, ID, GraceSeconds: Number(grace) })}
      stale={['Webhooks_GetEndpoint']}
      onDone={({ Secret }) => setSecret(Secret)}
      submit={t('webhooks.rotate')}
    >
      {(form) => (
        <>
          <Text size="sm">{t('webhooks.rotateAbout')}</Text>
          <Select
            {...form.getInputProps('grace')}
            label={t('webhooks.grace')}
            data={Object.entries(graces).map(([value, key]) => ({ value, label: t(key) }))}
            allowDeselect={false}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Stops deliveries to an endpoint, or starts them again. */
function Toggle({ endpoint, onClose }: Props) {
  const { t } = useTexts();
  const { area } = useArea();
  const { ID, Tenant, Name, Active } = endpoint;
  const address = 'URL' in endpoint ? { URL: endpoint.URL } : {};
  const request = { Endpoint: { ID, Tenant, Name, ...address, Active: !Active } };
  return (
    <ActionDialog
      operation={`${area}_UpdateEndpoint`}
      request={request}
      stale={[`${area}_ListEndpoints`, `${area}_GetEndpoint`]}
      title={t(Active ? 'webhooks.deactivate' : 'webhooks.activate')}
      action={t(Active ? 'webhooks.deactivate' : 'webhooks.activate')}
      onClose={onClose}
    >
      {t(Active ? 'webhooks.deactivateAbout' : 'webhooks.activateAbout')}
    </ActionDialog>
  );
}

function Delete({ endpoint: { ID, Tenant, Name }, onClose }: Props) {
  const { t } = useTexts();
  const navigate = useNavigate();
  const { area, views } = useArea();
  return (
    <ActionDialog
      operation={`${area}_DeleteEndpoint`}
      request={{ Tenant, ID }}
      stale={[`${area}_ListEndpoints`]}
      title={t('webhooks.delete')}
      action={t('webhooks.delete')}
      phrase={Name}
      notice={t('webhooks.deleted', { name: Name })}
      onDone={() => void navigate({ to: views })}
      onClose={onClose}
    >
      {t('webhooks.deleteAbout')}
    </ActionDialog>
  );
}
