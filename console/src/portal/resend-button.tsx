import { Button } from '@mantine/core';
import { useChange } from '../parts/calls.ts';
import { describeFailure, detailsIn } from '../parts/failure.ts';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';

type Props = { id: string; event: string; isCompact?: boolean; isWaiting?: boolean };

/** Sends a message again, or makes the next attempt at a message that waits. */
export function ResendButton({ id, event, isCompact = false, isWaiting = false }: Props) {
  const texts = useTexts();
  const { t } = texts;
  const notify = useNotify();
  const change = useChange('Portal_Resend', {
    stale: ['Portal_ListAttempts', 'Portal_GetMessage', 'Portal_ExplainDelivery', 'Portal_Get'],
  });
  const notice = isWaiting ? 'webhooks.triedNow' : 'webhooks.resent';
  // The row of the button may be gone when the lists have been loaded again.
  const send = () =>
    change.mutateAsync({ MessageID: id, Now: isWaiting }).then(
      ({ Queued }) => notify(t(Queued ? notice : 'webhooks.resentBefore')),
      (error: unknown) => {
        const failure = describeFailure(error);
        const answer = detailsIn(failure, texts).texts;
        notify([t(failure.title), ...answer].join(' – '), { isFailure: true });
      },
    );
  return (
    <Button
      size={isCompact ? 'compact-sm' : 'sm'}
      variant={isCompact ? 'default' : 'filled'}
      loading={change.isPending}
      aria-label={t(isWaiting ? 'webhooks.tryNowOf' : 'webhooks.resendOf', { event })}
      onClick={() => void send()}
    >
      {t(isWaiting ? 'webhooks.tryNow' : 'webhooks.resend')}
    </Button>
  );
}
