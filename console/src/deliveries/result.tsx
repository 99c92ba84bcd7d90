import { Text } from '@mantine/core';
import { State, StateOf, type States } from '../parts/state.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';

const results: States = {
  delivered: { text: 'webhooks.delivered', color: 'teal.9' },
  retry: { text: 'webhooks.retry', color: 'orange.9' },
  failed: { text: 'webhooks.failed', color: 'red.8' },
  dropped: { text: 'webhooks.dropped', color: 'gray.7' },
};

/** The text of a result of an attempt. */
export const resultText = (status: string): TextKey | undefined => results[status]?.text;

/** The result of an attempt, or of the latest one of a message. */
export const Result = ({ status }: { status: string }) => (
  <StateOf states={results} state={status} />
);

type Answer = { StatusCode: number; Message: string; Error: string };

/** The receiver's answer, or the reason why there is none. */
export function ReceiverAnswer({ StatusCode, Message, Error: kind }: Answer) {
  const { t } = useTexts();
  return (
    <>
      <Text size="sm">
        {StatusCode === 0
          ? t('webhooks.noAnswer')
          : t('webhooks.answered', { code: String(StatusCode) })}
      </Text>
      {kind !== '' && (
        <Text size="xs" c="dimmed" lang="en" style={{ overflowWrap: 'anywhere' }}>
          {Message || kind}
        </Text>
      )}
    </>
  );
}

type Endpoint = { Active: boolean; DisabledReason: string };

/** Whether an endpoint gets deliveries. */
export function EndpointState({ Active, DisabledReason }: Endpoint) {
  const { t } = useTexts();
  if (Active) return <State color="teal.9" children={t('webhooks.active')} />;
  const text = DisabledReason === '' ? 'webhooks.inactive' : 'webhooks.disabledByUs';
  return <State color={DisabledReason === '' ? 'gray.7' : 'red.8'}>{t(text)}</State>;
}
