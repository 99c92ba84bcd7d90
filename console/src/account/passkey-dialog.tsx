import { Alert, Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { client } from '../parts/calls.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
import { useNotify } from '../parts/notify.ts';
import { createPasskey, PasskeyError } from '../parts/passkey.ts';
import { withProof } from '../parts/proof.ts';
import { useTexts } from '../parts/texts.tsx';

type Props = { onAdded: () => void; onClose: () => void };

/** Adds a passkey: the service's options, the browser's answer, and its name. */
export function PasskeyDialog({ onAdded, onClose }: Props) {
  const { t } = useTexts();
  const [name, setName] = useState('');
  const [isMissing, setMissing] = useState(false);
  const add = useAdding(() => {
    onClose();
    onAdded();
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    setMissing(name.trim() === '');
    if (name.trim() !== '') add.mutate(name.trim());
  };
  return (
    <Dialog onClose={onClose} title={t('security.passkeyAdd')} closeOnClickOutside={false}>
      <form onSubmit={send} noValidate>
        <Stack>
          <TextInput
            label={t('security.passkeyName')}
            description={t('security.passkeyNameAbout')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={isMissing && t('security.nameMissing')}
            maxLength={64}
            autoComplete="off"
            data-autofocus
          />
          {add.error instanceof PasskeyError ? (
            <Alert role="alert" color="red" icon={<Icon name="warning" />}>
              {t(add.error.reason === 'present' ? 'security.present' : 'security.notMade')}
            </Alert>
          ) : (
            <FailureNotice error={add.error} />
          )}
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              {t('form.cancel')}
            </Button>
            <Button type="submit" loading={add.isPending}>
              {t('security.passkeyAdd')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function useAdding(onDone: () => void) {
  const { t } = useTexts();
  const notify = useNotify();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (Name: string) => {
      const { Options } = await withProof(() => client.call('Passkeys_BeginRegistration', {}));
      const Credential = await createPasskey(Options);
      await withProof(() => client.call('Passkeys_FinishRegistration', { Credential, Name }));
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['Passkeys_List'] });
      notify(t('security.passkeyAdded'));
      onDone();
    },
  });
}
