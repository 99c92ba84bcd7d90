import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Broker, BrokerMessage } from '@bailiwick/broker';
import { exhausted, unavailable } from '@bailiwick/errors';
import { createLog } from '@bailiwick/process';
import { type FollowedEvent, followEvents } from './events.ts';

const event = JSON.stringify({
  id: 'evt_1',
  type: 'user.deleted',
  tenant: '',
  data: { ID: 'usr_1' },
});
const audit = {
  Operation: 'Users_Delete',
  ActorType: 'user',
  ActorID: 'usr_2',
  CredentialID: 'ses_1',
  IP: '',
  UserAgent: '',
  RequestID: 'r',
};

type Options = {
  text?: string;
  deliveries?: number;
  subject?: string;
  handle?: (event: FollowedEvent) => Promise<void>;
  lasting?: boolean;
};

/** Follows one message and returns how it was settled. */
async function follow({
  text = JSON.stringify({ event, audit }),
  deliveries = 1,
  subject = 'evt._.user.deleted',
  handle,
  lasting = false,
}: Options) {
  const handled: FollowedEvent[] = [];
  let outcome = 'nothing';
  const message = {
    subject,
    deliveries,
    text: () => text,
    ack: () => void (outcome = 'ack'),
    retry: (delayMs: number) => (outcome = `again in ${delayMs}`),
  } as unknown as BrokerMessage;
  let work = Promise.resolve();
  const broker = {
    consume: (_options: object, each: (one: BrokerMessage) => Promise<void>) =>
      (work = each(message)),
  } as unknown as Broker;
  const keep = (one: FollowedEvent) => (handled.push(one), handle?.(one) ?? Promise.resolve());
  const options = {
    durable: 'x',
    subject: 'evt.>',
    types: ['user.deleted'],
    handle: keep,
    lasting,
  };
  followEvents({ broker, log: createLog('test', () => {}) }, options);
  await work.catch(() => (outcome = 'given back'));
  return { handled, outcome };
}

test('a wanted event is handled with its origin, and other events are acknowledged', async () => {
  const { handled, outcome } = await follow({});
  assert.equal(outcome, 'ack');
  const [one] = handled;
  assert.deepEqual(
    [one?.type, one?.data, one?.origin.operation.name, one?.origin.caller.id],
    ['user.deleted', { ID: 'usr_1' }, 'Users_Delete', 'usr_2'],
  );
  const other = await follow({ subject: 'evt._.user.signed_in' });
  assert.deepEqual([other.handled, other.outcome], [[], 'ack']);
});

test('a message that is not an event is logged and acknowledged', async () => {
  for (const text of [
    '',
    'null',
    '{}',
    JSON.stringify({ event: null, audit }),
    JSON.stringify({ event: '{}', audit }),
  ]) {
    const { handled, outcome } = await follow({ text });
    assert.deepEqual([handled, outcome], [[], 'ack'], text);
  }
});

test('a poison event is dropped after ten attempts, and no event is dropped because of an outage', async () => {
  const poisoned = () => Promise.reject(new Error('a defect'));
  assert.equal((await follow({ handle: poisoned, deliveries: 9 })).outcome, 'given back');
  assert.equal((await follow({ handle: poisoned, deliveries: 10 })).outcome, 'ack');
  assert.equal(
    (await follow({ handle: () => Promise.reject(unavailable()), deliveries: 500 })).outcome,
    'given back',
  );
  assert.equal(
    (await follow({ handle: () => Promise.reject(exhausted('too many', 1)), deliveries: 500 }))
      .outcome,
    'given back',
  );
  const readOnly = Object.assign(new Error('cannot execute DELETE in a read-only transaction'), {
    code: '25006',
  });
  assert.equal(
    (await follow({ handle: () => Promise.reject(readOnly), deliveries: 500 })).outcome,
    'given back',
  );
  const tooLong = Object.assign(new Error('canceling statement due to statement timeout'), {
    code: '57014',
  });
  assert.equal(
    (await follow({ handle: () => Promise.reject(tooLong), deliveries: 10 })).outcome,
    'ack',
  );
  assert.equal(
    (await follow({ handle: poisoned, deliveries: 500, lasting: true })).outcome,
    'given back',
  );
});

test('an event is repeated as often as configured, and failed attempts do not count', async () => {
  const outcomes: string[] = [];
  const message = {
    id: 'evt_1',
    subject: 'evt._.user.deleted',
    deliveries: 1,
    text: () => JSON.stringify({ event, audit }),
    ack: () => void outcomes.push('ack'),
    retry: (delayMs: number) => void outcomes.push(`again in ${delayMs}`),
  };
  let each: ((one: BrokerMessage) => Promise<void>) | undefined;
  const broker = {
    consume: (_options: object, work: typeof each) => (each = work),
  } as unknown as Broker;
  let isAway = false;
  const handle = () => (isAway ? Promise.reject(unavailable()) : Promise.resolve());
  const following = {
    durable: 'x',
    subject: 'evt.>',
    types: ['user.deleted'],
    handle,
    again: [10, 60],
  };
  followEvents({ broker, log: createLog('test', () => {}) }, following);
  for (const away of [true, false, true, true, false, false]) {
    isAway = away;
    await each?.(message as unknown as BrokerMessage).catch(() => outcomes.push('given back'));
    message.deliveries++;
  }
  assert.deepEqual(outcomes, [
    'given back',
    'again in 10',
    'given back',
    'given back',
    'again in 60',
    'ack',
  ]);
});
