import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Alert, Text } from '@mantine/core';
import { Icon } from '../parts/icon.tsx';
import { StateOf, type States } from '../parts/state.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';

export type Delivery = ResponseOf<'Webhooks_ExplainDelivery'>['Endpoints'][number];

const sentences: Readonly<Record<string, TextKey>> = {
  delivered: 'fate.delivered',
  failed: 'fate.failed',
  retry: 'fate.retry',
  resend: 'fate.resend',
  pause: 'fate.pause',
  receiver: 'fate.receiver',
  probe: 'fate.probe',
  rate: 'fate.rate',
  turn: 'fate.turn',
  quota: 'fate.quota',
  queue: 'fate.queue',
  fault: 'fate.fault',
  not_subscribed: 'fate.notSubscribed',
  inactive: 'fate.inactive',
  stopped: 'fate.stopped',
  no_tenant: 'fate.noTenant',
  test_only: 'fate.testOnly',
  self_event: 'fate.selfEvent',
  created_later: 'fate.createdLater',
  not_recorded: 'fate.notRecorded',
};

const states: States = {
  delivered: { text: 'webhooks.delivered', color: 'teal.9' },
  waiting: { text: 'webhooks.waiting', color: 'orange.9' },
  failed: { text: 'webhooks.failed', color: 'red.8' },
  not_sent: { text: 'webhooks.notSent', color: 'gray.7' },
  stopped: { text: 'webhooks.stopped', color: 'gray.7' },
};

const colors: Readonly<Record<string, string>> = {
  delivered: 'teal',
  waiting: 'orange',
  failed: 'red',
};

/** The explanation of a delivery in one sentence. A newer service may send one of its own. */
export function Sentence({ State, Reason, Wait, Message }: Delivery) {
  const { t } = useTexts();
  const key = sentences[Wait?.For ?? (Reason || State)];
  return key ? t(key) : <span lang="en">{Message}</span>;
}

export const DeliveryState = ({ State }: Delivery) => <StateOf states={states} state={State} />;

/** The fate of an event at one endpoint, and the time of its next attempt. */
export function Fate({ delivery }: { delivery: Delivery }) {
  const { t } = useTexts();
  const { State, Wait } = delivery;
  return (
    <Alert
      color={colors[State] ?? 'gray'}
      icon={<Icon name={State === 'delivered' ? 'check' : 'warning'} />}
      title={t(states[State]?.text ?? 'webhooks.fate')}
    >
      <Text size="sm">
        <Sentence {...delivery} />
      </Text>
      {Wait && (
        <Text size="sm">
          {t('webhooks.attemptOf', {
            number: String(Wait.Attempt),
            last: String(Wait.LastAttempt),
          })}
          {Wait.Until !== undefined && (
            <>
              {' · '}
              <Time at={Wait.Until} />
            </>
          )}
        </Text>
      )}
    </Alert>
  );
}
