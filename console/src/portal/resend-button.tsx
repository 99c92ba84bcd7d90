import { Button } from '@mantine/core';
import { useChange } from '../parts/calls.ts';
import { describeFailure } from '../parts/failure.ts';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';

type Props = { id: string; event: string; isCompact?: boolean };

/** Sends a message again. */
export function ResendButton({ id, event, isCompact = false }: Props) {
  const { t } = useTexts();
  const notify = useNotify();
  const change = useChange('Portal_Resend', {
    stale: ['Portal_ListAttempts', 'Portal_GetMessage', 'Portal_Get'],
  });
  const send = () =>
    change.mutate(
      { MessageID: id },
      {
        onSuccess: ({ Queued }) => notify(t(Queued ? 'webhooks.resent' : 'webhooks.resentBefore')),
        onError: (error) => {
          const { title, details } = describeFailure(error);
          notify([t(title), ...details].join(' – '), { isFailure: true });
        },
      },
    );
  return (
    <Button
      size={isCompact ? 'compact-sm' : 'sm'}
      variant={isCompact ? 'default' : 'filled'}
      loading={change.isPending}
      aria-label={t('webhooks.resendOf', { event })}
      onClick={send}
    >
      {t('webhooks.resend')}
    </Button>
  );
}
