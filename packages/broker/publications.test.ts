import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { headers, type Msg, type NatsConnection } from 'nats';
import { createPublications, createWriter } from './publications.ts';

// test/delivery publishes to a broker.

type Receive = (error: null, message: Msg) => void;
type Published = { subject: string; reply: string };

/** Publications over a connection that only takes notes. `answer` answers one of them. */
function open({ timeoutMs = 10_000, refuse = false } = {}) {
  const published: Published[] = [];
  let receive: Receive = () => {};
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const connection = {
    subscribe: (_subject: string, { callback }: { callback: Receive }) => void (receive = callback),
    publish(subject: string, _body: Uint8Array, { reply }: { reply: string }) {
      if (refuse) throw new Error('too large');
      published.push({ subject, reply });
    },
    closed: () => closed,
  } as unknown as NatsConnection;
  const publish = createPublications(connection, createWriter(), { timeoutMs });
  return {
    published,
    close,
    publish: (subject: string) => publish(subject, Buffer.from('{}'), headers()),
    answer: (subject: string, answer: object | undefined) => {
      const reply = published.find((each) => each.subject === subject)?.reply ?? '';
      const payload = Buffer.from(answer === undefined ? '' : JSON.stringify(answer));
      receive(null, { subject: reply, data: payload, json: () => answer } as unknown as Msg);
    },
  };
}

test('publications of one turn are written together, and each gets its own answer in any order', async () => {
  const { publish, published, answer } = open();
  const [one, two] = [publish('task.one'), publish('task.two')];
  assert.deepEqual(published, []);
  await setImmediate();
  assert.deepEqual(
    published.map(({ subject }) => subject),
    ['task.one', 'task.two'],
  );
  answer('task.two', { stream: 'TASK', seq: 2, duplicate: true });
  answer('task.one', { stream: 'TASK', seq: 1 });
  assert.deepEqual(await Promise.all([one, two]), [
    { seq: 1, duplicate: false },
    { seq: 2, duplicate: true },
  ]);
});

test('a publication fails that no stream stores, or that the stream rejects', async () => {
  const { publish, answer } = open();
  const [unknown, full] = [publish('task.unknown'), publish('task.full')];
  await setImmediate();
  answer('task.unknown', undefined);
  answer('task.full', { error: { code: 503, description: 'maximum messages exceeded' }, seq: 0 });
  await assert.rejects(unknown, /no stream stores this subject/);
  await assert.rejects(full, /maximum messages exceeded/);
});

test('a publication that the client refuses fails alone', async () => {
  await assert.rejects(open({ refuse: true }).publish('task.large'), /too large/);
});

test('publications without an answer fail after their time, and when the connection is closed', async () => {
  const slow = open({ timeoutMs: 20 });
  await assert.rejects(slow.publish('task.lost'), { code: 'unavailable' });
  const closing = open();
  const waiting = closing.publish('task.waiting');
  await setImmediate();
  closing.close();
  await assert.rejects(waiting, { code: 'unavailable' });
});
