import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Button, Menu, Modal, Select, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { CallForm } from '../parts/call-form.tsx';
import { useChange } from '../parts/calls.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Icon } from '../parts/icon.tsx';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';
import { type Area, useArea } from './area.tsx';
import { EditChatDialog } from './chat-dialogs.tsx';
import { EditDialog } from './endpoint-dialog.tsx';
import { NewSecret } from './new-secret.tsx';
import { ShareDialog } from './share-dialog.tsx';
import { TestDialog } from './test-dialog.tsx';

type Endpoint = ResponseOf<`${Area}_GetEndpoint`>['Endpoint'];
type Props = { endpoint: Endpoint; onClose: () => void };
type Open = 'edit' | 'share' | 'test' | 'replay' | 'rotate' | 'toggle' | 'delete';

/** Changes, tests and deletes an endpoint. */
export function EndpointButtons({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useTexts();
  const [open, setOpen] = useState<Open>();
  const [secret, setSecret] = useState('');
  const { Active } = endpoint;
  const props = { endpoint, onClose: () => setOpen(undefined) };
  const dialogs: Record<Open, () => ReactNode> = {
    edit: () =>
      'URL' in endpoint ? (
        <EditDialog endpoint={endpoint} onClose={props.onClose} />
      ) : (
        <EditChatDialog endpoint={endpoint} onClose={props.onClose} />
      ),
    share: () => 'URL' in endpoint && <ShareDialog endpoint={endpoint} onClose={props.onClose} />,
    test: () => <TestDialog {...props} />,
    replay: () => <ReplayDialog {...props} />,
    rotate: () => <RotateDialog {...props} onSecret={setSecret} />,
    toggle: () => <Toggle {...props} />,
    delete: () => <Delete {...props} />,
  };
  // A chat channel has no receiver's portal, and no secret of ours.
  const forUrl = (item: [Open, string]) => ('URL' in endpoint ? [item] : []);
  const items: Array<[Open, string]> = [
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
          <Menu.Item c="var(--mantine-color-error)" onClick={() => setOpen('delete')}>
            {t('webhooks.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {open && dialogs[open]()}
      {secret !== '' && <NewSecret secret={secret} onClose={() => setSecret('')} />}
    </Button.Group>
  );
}

function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const { t } = useTexts();
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': t('form.close') }}
    >
      {children}
    </Modal>
  );
}

const hours = [1, 24, 7 * 24, 30 * 24];

/** Sends the failed messages of the last hours again. */
function ReplayDialog({ endpoint: { Tenant, ID }, onClose }: Props) {
  const { t, locale } = useTexts();
  const { area } = useArea();
  const notify = useNotify();
  const text = (count: number) => {
    const unit = count < 48 ? 'hour' : 'day';
    const value = unit === 'hour' ? count : count / 24;
    return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(
      value,
    );
  };
  return (
    <Dialog title={t('webhooks.replay')} onClose={onClose}>
      <CallForm
        operation={`${area}_ReplayFailed`}
        initial={{ hours: '24' }}
        toRequest={(fields) => ({
          Tenant,
          ID,
          Since: new Date(Date.now() - Number(fields.hours) * 3_600_000).toISOString(),
        })}
        stale={[`${area}_ListAttempts`]}
        onDone={({ Queued }) => {
          onClose();
          notify(t('webhooks.replayed', { count: String(Queued) }));
        }}
        onCancel={onClose}
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
      </CallForm>
    </Dialog>
  );
}

/** Replaces the secret. The old one signs too for some hours, so that no delivery is refused. */
function RotateDialog({
  endpoint,
  onClose,
  onSecret,
}: Props & { onSecret: (secret: string) => void }) {
  const { t } = useTexts();
  const { Tenant, ID } = endpoint;
  const graces = {
    '0': 'webhooks.graceNone',
    '86400': 'webhooks.graceDay',
    '604800': 'webhooks.graceWeek',
  } as const;
  return (
    <Dialog title={t('webhooks.rotate')} onClose={onClose}>
      <CallForm
        operation="Webhooks_RotateSecret"
        initial={{ grace: '86400' }}
        toRequest={({ grace }) => ({ Tenant, ID, GraceSeconds: Number(grace) })}
        stale={['Webhooks_GetEndpoint']}
        onDone={({ Secret }) => {
          onClose();
          onSecret(Secret);
        }}
        onCancel={onClose}
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
      </CallForm>
    </Dialog>
  );
}

/** Stops deliveries to an endpoint, or starts them again. */
function Toggle({ endpoint, onClose }: Props) {
  const { t } = useTexts();
  const { area } = useArea();
  const { ID, Tenant, Name, Active } = endpoint;
  const change = useChange(`${area}_UpdateEndpoint`, {
    stale: [`${area}_ListEndpoints`, `${area}_GetEndpoint`],
  });
  const kept = 'URL' in endpoint ? { URL: endpoint.URL } : {};
  const request = { Endpoint: { ID, Tenant, Name, ...kept, Active: !Active } };
  return (
    <Confirm
      title={t(Active ? 'webhooks.deactivate' : 'webhooks.activate')}
      action={t(Active ? 'webhooks.deactivate' : 'webhooks.activate')}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate(request, { onSuccess: onClose })}
      onClose={onClose}
    >
      {t(Active ? 'webhooks.deactivateAbout' : 'webhooks.activateAbout')}
    </Confirm>
  );
}

function Delete({ endpoint: { ID, Tenant, Name }, onClose }: Props) {
  const { t } = useTexts();
  const notify = useNotify();
  const navigate = useNavigate();
  const { area, views } = useArea();
  const change = useChange(`${area}_DeleteEndpoint`, { stale: [`${area}_ListEndpoints`] });
  const onSuccess = () => {
    notify(t('webhooks.deleted', { name: Name }));
    void navigate({ to: views });
  };
  return (
    <Confirm
      title={t('webhooks.delete')}
      action={t('webhooks.delete')}
      phrase={Name}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ Tenant, ID }, { onSuccess })}
      onClose={onClose}
    >
      {t('webhooks.deleteAbout')}
    </Confirm>
  );
}
