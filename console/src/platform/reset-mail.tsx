import { Button } from '@mantine/core';
import { useChange } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';

/** Mails a user the link that sets another password. */
export function ResetMail({ email }: { email: string }) {
  const { t } = useTexts();
  const notify = useNotify();
  const change = useChange('Account_RequestPasswordReset');
  const onSuccess = () => notify(t('security.passwordMailed', { email }));
  return (
    <>
      <Button
        variant="default"
        loading={change.isPending}
        onClick={() => change.mutate({ Email: email }, { onSuccess })}
      >
        {t('platform.sendReset')}
      </Button>
      <FailureNotice error={change.error} />
    </>
  );
}
