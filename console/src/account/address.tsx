import type { ErrorReason } from '@bailiwick/client/errors.ts';
import { Alert, Button, Group, PasswordInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../parts/calls.ts';
import { Id } from '../parts/copy.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { useNotify } from '../parts/notify.ts';
import { RowAction } from '../parts/row-action.tsx';
import { State } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useAccount } from '../shell/session.tsx';

/** The user's address, whether it is verified, and the way to another one. */
export function Address() {
  const { t } = useTexts();
  const { User } = useAccount();
  const [isOpen, setOpen] = useState(false);
  const [newAddress, setNewAddress] = useState('');
  return (
    <>
      <Group gap="xs" justify="space-between">
        <Group gap="xs">
          <Text fw={600}>{User.Email}</Text>
          <State color={User.EmailVerified ? 'teal.9' : 'orange.9'}>
            {t(User.EmailVerified ? 'account.verified' : 'account.unverified')}
          </State>
          <RowAction onClick={() => setOpen(true)}>{t('account.changeAddress')}</RowAction>
          {!User.EmailVerified && <Resend email={User.Email} />}
        </Group>
        <Id id={User.ID} />
      </Group>
      {newAddress !== '' && newAddress !== User.Email && (
        <Alert role="status" icon={<Icon name="mail" />} title={t('account.addressMailed')}>
          {t('account.addressMailedAbout', { email: newAddress, old: User.Email })}
        </Alert>
      )}
      {isOpen && <AddressDialog onAsked={setNewAddress} onClose={() => setOpen(false)} />}
    </>
  );
}

function Resend({ email }: { email: string }) {
  const { t } = useTexts();
  const notify = useNotify();
  const change = useChange('Account_ResendVerification');
  const onSuccess = () => notify(t('account.resent', { email }));
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        loading={change.isPending}
        onClick={() => change.mutate({ Email: email }, { onSuccess })}
      >
        {t('account.resend')}
      </Button>
      <FailureNotice error={change.error} />
    </>
  );
}

type Props = { onAsked: (email: string) => void; onClose: () => void };

function AddressDialog({ onAsked, onClose }: Props) {
  const { t } = useTexts();
  const { User } = useAccount();
  return (
    <FormDialog
      onClose={onClose}
      title={t('account.changeAddress')}
      operation="Account_ChangeEmail"
      initial={{ email: '', password: '' }}
      check={({ email, password }) => ({
        email: email.includes('@') ? null : t('account.newAddressMissing'),
        password: User.HasPassword && password === '' ? t('security.currentMissing') : null,
      })}
      toRequest={({ email, password }) => ({ Email: email.trim(), Password: password })}
      refused={({ Reason }) =>
        Reason === ('WRONG_PASSWORD' satisfies ErrorReason)
          ? { password: t('security.wrongPassword') }
          : {}
      }
      secret={{ password: '…' }}
      stale={[]}
      onDone={(_, { email }) => {
        onClose();
        onAsked(email.trim());
      }}
      submit={t('account.changeAddress')}
    >
      {(form) => (
        <>
          <TextInput
            {...form.getInputProps('email')}
            label={t('account.newAddress')}
            description={t('account.newAddressAbout')}
            type="email"
            autoComplete="email"
            data-autofocus
          />
          {User.HasPassword && (
            <PasswordInput
              {...form.getInputProps('password')}
              label={t('security.current')}
              autoComplete="current-password"
              visibilityToggleButtonProps={{ 'aria-label': t('security.showPassword') }}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
