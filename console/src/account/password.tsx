import type { ErrorReason } from '@bailiwick/client/errors.ts';
import { Button, PasswordInput } from '@mantine/core';
import { useCall, useChange } from '../parts/calls.ts';
import { DialogButton } from '../parts/dialog-button.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';
import { useAccount } from '../shell/session.tsx';
import { Section } from './section.tsx';

/** The user's password, or the way to get one. */
export function Password() {
  const { t } = useTexts();
  const { User } = useAccount();
  if (!User.HasPassword) return <NoPassword email={User.Email} />;
  return (
    <Section
      title={t('security.password')}
      description={t('security.passwordAbout')}
      action={
        <DialogButton
          text={t('security.passwordChange')}
          dialog={(onClose) => <PasswordDialog onClose={onClose} />}
        />
      }
    />
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
      description={t('security.noPassword')}
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
  const { data } = useCall('Account_SignInOptions', {}, { staleTime: Number.POSITIVE_INFINITY });
  const shortest = data?.PasswordLength ?? 8;
  const length = String(shortest);
  return (
    <FormDialog
      onClose={onClose}
      title={t('security.passwordChange')}
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
      notice={t('security.passwordChanged')}
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
    </FormDialog>
  );
}
