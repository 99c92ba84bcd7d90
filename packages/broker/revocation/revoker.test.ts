import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker } from '../broker.ts';
import { leaseMs } from './lease.ts';
import { createRevoker } from './revoker.ts';

type Listener = (body: string, answer: (body: string) => void) => void;

/** A revoker that has listened for a lease, and the rows of its service's log. */
async function start(t: TestContext, rows: () => Promise<string[]>) {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const listeners = new Map<string, Listener>();
  const signal = (subject: string, body: string, reply = ''): void =>
    listeners.get(subject)?.(body, (text) => signal(reply, text));
  const broker = {
    signal,
    listen: async (subject: string, listener: Listener) => void listeners.set(subject, listener),
    reach: () => Promise.resolve(),
    connections: () => 1,
    isConnected: () => true,
  } as unknown as Broker;
  const deaf: string[] = [];
  const revoke = createRevoker(broker, {
    fresh: rows,
    markDeaf: async (ids) => void deaf.push(...ids),
  });
  await sleep(1);
  t.mock.timers.tick(leaseMs + 1);
  /** Lets these holders acknowledge each revocation. */
  const hear = (holders: readonly string[]) =>
    broker.listen('bailiwick.revoke', (body, respond) => {
      const { id } = JSON.parse(body) as { id: string };
      for (const holder of holders) respond(JSON.stringify({ id, holder }));
    });
  const end = (holder: string) => signal('bailiwick.lease', JSON.stringify({ holder, ends: true }));
  async function revokedIn(): Promise<number> {
    const began = performance.now();
    await revoke(['user:usr_1']);
    return performance.now() - began;
  }
  return { deaf, hear, end, revoke, revokedIn };
}

test('a revocation without holders does not wait', async (t) => {
  const { revokedIn, deaf } = await start(t, async () => []);
  assert.ok((await revokedIn()) < leaseMs / 2);
  assert.deepEqual(deaf, []);
});

test('a revocation waits for a holder with a row whose heartbeat it has not heard', async (t) => {
  const { hear, revokedIn, deaf } = await start(t, async () => ['hidden']);
  assert.ok((await revokedIn()) >= leaseMs);
  assert.deepEqual(deaf, ['hidden'], 'it did not acknowledge');
  await hear(['hidden']);
  assert.ok((await revokedIn()) < leaseMs / 2);
  assert.deepEqual(deaf, ['hidden']);
});

test('a revocation waits as long as a lease if the rows cannot be read', async (t) => {
  const { revokedIn } = await start(t, () => Promise.reject(new Error('the database is away')));
  assert.ok((await revokedIn()) >= leaseMs);
});

test('a revocation waits no longer than a lease for the rows', async (t) => {
  const { revokedIn } = await start(t, () => new Promise(() => {}));
  const took = await revokedIn();
  assert.ok(took >= leaseMs && took < leaseMs + 1000, `${took} ms`);
});

test('a revocation does not wait for a holder that has ended its lease', async (t) => {
  const { end, revoke, revokedIn, deaf } = await start(t, async () => ['stopping']);
  const began = performance.now();
  const running = revoke(['user:usr_1']);
  await sleep(10);
  end('stopping');
  await running;
  assert.ok((await revokedIn()) < leaseMs / 2);
  assert.ok(performance.now() - began < leaseMs / 2);
  assert.deepEqual(deaf, []);
});

test('a revocation reports who dropped the keys, who had ended its lease, and whose lease it waited out', async (t) => {
  const { hear, end, revoke } = await start(t, async () => ['caching', 'stopping', 'silent']);
  await hear(['caching']);
  const running = revoke(['user:usr_1']);
  await sleep(10);
  end('stopping');
  const states = (await running).map(({ holder, state }) => `${holder} ${state}`);
  assert.deepEqual(states.sort(), ['caching dropped', 'silent waited', 'stopping ended']);
});

test('a revocation that cannot list the holders reports no holder as one that dropped', async (t) => {
  const { hear, revoke } = await start(t, () => Promise.reject(new Error('the database is away')));
  await hear(['caching']);
  assert.deepEqual(
    (await revoke(['user:usr_1'])).map(({ holder, state }) => [holder, state]),
    [['', 'waited']],
  );
});
