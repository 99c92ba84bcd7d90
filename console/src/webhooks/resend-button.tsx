import { Button } from '@mantine/core';
import { useChange } from '../parts/calls.ts';
import { describeFailure, detailsIn } from '../parts/failure.ts';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';
import { useArea } from './area.tsx';

type Props = {
  Tenant: string;
  Endpoint: string;
  ID: string;
  EventType: string;
  isCompact?: boolean;
  /** Whether an attempt follows: it is made now. */
  isWaiting?: boolean;
};

/**
 * Sends a message again to its endpoint, with a full set of attempts, or makes the next attempt at a
 * message that waits.
 */
export function ResendButton(props: Props) {
  const { Tenant, Endpoint, ID, EventType, isCompact = false, isWaiting = false } = props;
  const texts = useTexts();
  const { t } = texts;
  const notify = useNotify();
  const { area } = useArea();
  const change = useChange(`${area}_Resend`, {
    stale: [
      `${area}_ListAttempts`,
      `${area}_GetMessage`,
      `${area}_GetEndpoint`,
      'Webhooks_ExplainDelivery',
    ],
  });
  const request = { Tenant, ID: Endpoint, MessageID: ID, Now: isWaiting };
  const notice = isWaiting ? 'webhooks.triedNow' : 'webhooks.resent';
  // The row of the button may be gone when the lists have been loaded again.
  const send = () =>
    change.mutateAsync(request).then(
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
      aria-label={
        isCompact
          ? t(isWaiting ? 'webhooks.tryNowOf' : 'webhooks.resendOf', { event: EventType })
          : undefined
      }
      onClick={() => void send()}
    >
      {t(isWaiting ? 'webhooks.tryNow' : 'webhooks.resend')}
    </Button>
  );
}
