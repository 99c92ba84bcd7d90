import { NativeSelect, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
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
    <FormDialog
      onClose={onClose}
      title={t('apps.rotateOf', { name: app.Name })}
      operation="Apps_RotateSecret"
      initial={{ keep: '3600' }}
      toRequest={({ keep }) => ({ ...scope, ID: app.ID, KeepOldSeconds: Number(keep) })}
      stale={['Apps_Get']}
      onDone={({ ClientSecret }) => setSecret(ClientSecret)}
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
    </FormDialog>
  );
}

export function DeleteApp({ app, onClose }: Props) {
  const { t } = useTexts();
  const { scope, at } = useOwner();
  const navigate = useNavigate();
  const { ID, Name } = app;
  return (
    <ActionDialog
      operation="Apps_Delete"
      request={{ ...scope, ID }}
      stale={['Apps_List']}
      title={t('apps.deleteOf', { name: Name })}
      action={t('apps.delete')}
      phrase={Name}
      notice={t('apps.deleted', { name: Name })}
      // Changes of an app that is gone cannot be saved.
      onDone={() => void navigate({ to: `${at}/apps`, ignoreBlocker: true })}
      onClose={onClose}
    >
      {t('apps.deleteAbout')}
    </ActionDialog>
  );
}
