import { Button } from '@mantine/core';
import { useChange } from '../parts/calls.ts';
import { describeFailure } from '../parts/failure.ts';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';
import { useArea } from './area.tsx';

type Props = {
  Tenant: string;
  Endpoint: string;
  ID: string;
  EventType: string;
  isCompact?: boolean;
};

/** Sends a message again to its endpoint, with a full set of attempts. */
export function ResendButton({ Tenant, Endpoint, ID, EventType, isCompact = false }: Props) {
  const { t } = useTexts();
  const notify = useNotify();
  const { area } = useArea();
  const change = useChange(`${area}_Resend`, {
    stale: [`${area}_ListAttempts`, `${area}_GetMessage`],
  });
  const request = { Tenant, ID: Endpoint, MessageID: ID };
  const send = () =>
    change.mutate(request, {
      onSuccess: ({ Queued }) => notify(t(Queued ? 'webhooks.resent' : 'webhooks.resentBefore')),
      onError: (error) => {
        const { title, details } = describeFailure(error);
        notify([t(title), ...details].join(' – '), { isFailure: true });
      },
    });
  return (
    <Button
      size={isCompact ? 'compact-sm' : 'sm'}
      variant={isCompact ? 'default' : 'filled'}
      loading={change.isPending}
      aria-label={isCompact ? t('webhooks.resendOf', { event: EventType }) : undefined}
      onClick={send}
    >
      {t('webhooks.resend')}
    </Button>
  );
}
