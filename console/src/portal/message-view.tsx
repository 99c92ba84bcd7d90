import { Button, Group, Skeleton, Stack, Title } from '@mantine/core';
import { MessageContents } from '../deliveries/message-contents.tsx';
import { useCall } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { useTexts } from '../parts/texts.tsx';
import { ResendButton } from './resend-button.tsx';

type Props = { id: string; mayResend: boolean; onBack: () => void };

/** One message of the log, with its body. */
export function MessageView({ id, mayResend, onBack }: Props) {
  const { t } = useTexts();
  const { data, error, refetch } = useCall('Portal_GetMessage', { MessageID: id });
  const event = data?.Message.EventType ?? t('webhooks.message');
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
        {mayResend && data && <ResendButton id={id} event={event} />}
      </Group>
      <FailureNotice error={error} onRetry={() => void refetch()} />
      {data ? <MessageContents {...data.Message} /> : !error && <Skeleton height={240} />}
    </Stack>
  );
}
