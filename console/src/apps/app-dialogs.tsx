import { Modal, NativeSelect, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CallForm } from '../parts/call-form.tsx';
import { useChange } from '../parts/calls.ts';
import { Confirm } from '../parts/confirm.tsx';
import { useNotify } from '../parts/notify.ts';
import { ShownOnce } from '../parts/shown-once.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useOwner } from '../shell/owner.ts';
import { Configuration } from './configuration.tsx';
import type { App } from './kinds.ts';

type Props = { app: App; onClose: () => void };

/** Replaces the client secret, and shows the new one once. */
export function RotateSecret({ app, onClose }: Props) {
  const { t } = useTexts();
  const { scope } = useOwner();
  const [secret, setSecret] = useState('');
  if (secret !== '')
    return (
      <ShownOnce title={app.Name} secret={secret} onClose={onClose}>
        <Configuration app={app} secret={secret} />
      </ShownOnce>
    );
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('apps.rotateOf', { name: app.Name })}
      closeButtonProps={{ 'aria-label': t('form.close') }}
    >
      <CallForm
        operation="Apps_RotateSecret"
        initial={{ keep: '3600' }}
        toRequest={({ keep }) => ({ ...scope, ID: app.ID, KeepOldSeconds: Number(keep) })}
        stale={['Apps_Get']}
        onDone={({ ClientSecret }) => setSecret(ClientSecret)}
        onCancel={onClose}
        submit={t('apps.rotate')}
      >
        {(form) => (
          <>
            <Text size="sm">{t('apps.rotateAbout')}</Text>
            <NativeSelect
              {...form.getInputProps('keep')}
              label={t('apps.keepOld')}
              data={[
                { value: '0', label: t('apps.keepNone') },
                { value: '3600', label: t('apps.keepHour') },
                { value: '86400', label: t('apps.keepDay') },
              ]}
              data-autofocus
            />
          </>
        )}
      </CallForm>
    </Modal>
  );
}

export function DeleteApp({ app, onClose }: Props) {
  const { t } = useTexts();
  const { scope, at } = useOwner();
  const notify = useNotify();
  const navigate = useNavigate();
  const { ID, Name } = app;
  const change = useChange('Apps_Delete', { stale: ['Apps_List'] });
  const onSuccess = () => {
    notify(t('apps.deleted', { name: Name }));
    void navigate({ to: `${at}/apps` });
  };
  return (
    <Confirm
      title={t('apps.deleteOf', { name: Name })}
      action={t('apps.delete')}
      phrase={Name}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ ...scope, ID }, { onSuccess })}
      onClose={onClose}
    >
      {t('apps.deleteAbout')}
    </Confirm>
  );
}
