import { Button, Group, Skeleton, Stack, Title } from '@mantine/core';
import { DeliveryContents, MessageContents } from '../deliveries/message-contents.tsx';
import { useCall } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { useTexts } from '../parts/texts.tsx';
import { ResendButton } from './resend-button.tsx';

type Props = { id: string; abilities: readonly string[]; onBack: () => void };

/** One message of the log: its fate and, if the link allows it, its body. */
export function MessageView({ id, abilities, onBack }: Props) {
  const { t } = useTexts();
  const mayRead = abilities.includes('bodies');
  const message = useCall('Portal_GetMessage', { MessageID: id }, { enabled: mayRead });
  const isEvent = id.startsWith('evt_');
  const explained = useCall('Portal_ExplainDelivery', { Event: id }, { enabled: isEvent });
  const Message = message.data?.Message;
  const delivery = explained.data?.Delivery;
  const event = Message?.EventType ?? explained.data?.EventType ?? t('webhooks.message');
  const { error, refetch } = mayRead ? message : explained;
  const isKnown = Message !== undefined || delivery !== undefined;
  // An event that is not sent yet has no message, but an explanation.
  const hasFailed = !isKnown && error !== null && !explained.isLoading;
  const status = delivery?.State ?? Message?.Status;
  return (
    <Stack gap="lg" align="stretch">
      <div>
        <Button variant="subtle" size="compact-sm" onClick={onBack}>
          ← {t('webhooks.toEndpoint')}
        </Button>
      </div>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {event}
        </Title>
        {abilities.includes('replay') && isKnown && (
          <ResendButton
            id={id}
            event={event}
            isWaiting={status === 'waiting' || status === 'retry'}
          />
        )}
      </Group>
      {hasFailed && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {Message && <MessageContents message={Message} delivery={delivery} />}
      {!Message && delivery && <DeliveryContents delivery={delivery} />}
      {!isKnown && !hasFailed && <Skeleton height={240} />}
    </Stack>
  );
}
