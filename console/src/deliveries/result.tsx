import { Text } from '@mantine/core';
import { State, StateOf, type States } from '../parts/state.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';

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

type ErrorOf = { StatusCode: number; Error: string; At?: string };

/** The latest failure of an endpoint: the receiver's status or the kind of error, and its time. */
export function LastError({ StatusCode, Error: kind, At }: ErrorOf) {
  const { t } = useTexts();
  return (
    <>
      {StatusCode === 0
        ? t('webhooks.noAnswer')
        : t('webhooks.answered', { code: String(StatusCode) })}
      {StatusCode === 0 && kind !== '' && (
        <>
          {' · '}
          <span lang="en">{kind.replaceAll('_', ' ')}</span>
        </>
      )}
      {' · '}
      <Time at={At} />
    </>
  );
}

const endpointStates: States = {
  delivering: { text: 'webhooks.delivering', color: 'teal.9' },
  failing: { text: 'webhooks.failing', color: 'red.8' },
  paused: { text: 'webhooks.paused', color: 'orange.9' },
};

type Endpoint = {
  Active: boolean;
  DisabledReason: string;
  Health?: { State: string; LastError?: ErrorOf };
};

/** Whether an endpoint gets its deliveries. */
export function EndpointState({ Active, DisabledReason, Health }: Endpoint) {
  const { t } = useTexts();
  // A service of the previous version sends no health.
  if (Active && Health) return <StateOf states={endpointStates} state={Health.State} />;
  if (Active) return <State color="teal.9" children={t('webhooks.active')} />;
  const text = DisabledReason === '' ? 'webhooks.inactive' : 'webhooks.disabledByUs';
  return <State color={DisabledReason === '' ? 'gray.7' : 'red.8'}>{t(text)}</State>;
}

/** The state of an endpoint in a list, with the last error below it. */
export function EndpointStateCell(endpoint: Endpoint) {
  const error = endpoint.Health?.LastError;
  return (
    <>
      <EndpointState {...endpoint} />
      {error && (
        <Text size="xs" c="dimmed" mt={4}>
          <LastError {...error} />
        </Text>
      )}
    </>
  );
}
