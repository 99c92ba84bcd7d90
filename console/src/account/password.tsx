import type { ErrorReason } from '@bailiwick/client/errors.ts';
import { Button, Modal, PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { CallForm } from '../parts/call-form.tsx';
import { useCall, useChange } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';
import { useAccount } from '../shell/session.tsx';
import { Section } from './section.tsx';

/** The user's password, or the way to get one. */
export function Password() {
  const { t } = useTexts();
  const { User } = useAccount();
  const [isOpen, setOpen] = useState(false);
  if (!User.HasPassword) return <NoPassword email={User.Email} />;
  return (
    <Section
      title={t('security.password')}
      about={t('security.passwordAbout')}
      action={
        <Button variant="default" onClick={() => setOpen(true)}>
          {t('security.passwordChange')}
        </Button>
      }
    >
      {isOpen && <PasswordDialog onClose={() => setOpen(false)} />}
    </Section>
  );
}

/** A user who signs in through an organisation or another account. */
function NoPassword({ email }: { email: string }) {
  const { t } = useTexts();
  const notify = useNotify();
  const change = useChange('Account_RequestPasswordReset');
  const onSuccess = () => notify(t('security.passwordMailed', { email }));
  return (
    <Section
      title={t('security.password')}
      about={t('security.noPassword')}
      action={
        <Button
          variant="default"
          loading={change.isPending}
          onClick={() => change.mutate({ Email: email }, { onSuccess })}
        >
          {t('security.passwordSet')}
        </Button>
      }
    >
      <FailureNotice error={change.error} />
    </Section>
  );
}

function PasswordDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const notify = useNotify();
  const { data } = useCall('Account_SignInOptions', {}, { staleTime: Number.POSITIVE_INFINITY });
  const shortest = data?.PasswordLength ?? 8;
  const length = String(shortest);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('security.passwordChange')}
      closeButtonProps={{ 'aria-label': t('form.close') }}
    >
      <CallForm
        operation="Account_ChangePassword"
        initial={{ current: '', password: '' }}
        check={({ current, password }) => ({
          current: current === '' ? t('security.currentMissing') : null,
          password: password.length < shortest ? t('security.tooShort', { length }) : null,
        })}
        toRequest={({ current, password }) => ({ Current: current, Password: password })}
        refused={({ Reason }) =>
          Reason === ('WRONG_PASSWORD' satisfies ErrorReason)
            ? { current: t('security.wrongPassword') }
            : {}
        }
        secret={{ current: '…', password: '…' }}
        stale={['Sessions_List']}
        onDone={() => {
          onClose();
          notify(t('security.passwordChanged'));
        }}
        onCancel={onClose}
        submit={t('security.passwordChange')}
      >
        {(form) => (
          <>
            <PasswordInput
              {...form.getInputProps('current')}
              label={t('security.current')}
              autoComplete="current-password"
              visibilityToggleButtonProps={{ 'aria-label': t('security.showPassword') }}
              data-autofocus
            />
            <PasswordInput
              {...form.getInputProps('password')}
              label={t('security.newPassword')}
              description={t('security.newPasswordAbout', { length })}
              autoComplete="new-password"
              visibilityToggleButtonProps={{ 'aria-label': t('security.showPassword') }}
            />
          </>
        )}
      </CallForm>
    </Modal>
  );
}
