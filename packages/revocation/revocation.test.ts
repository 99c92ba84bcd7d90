import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Broker } from '@bailiwick/events';
import { createRevoker, createRightsCache, leaseMs } from './revocation.ts';

type Listener = (body: string, answer: (body: string) => void) => void;

/** Delivers signals at once, to all listeners of the process. */
function localBroker() {
  const listeners = new Map<string, Listener[]>();
  const signal = (subject: string, body: string, reply?: string): void => {
    for (const listen of listeners.get(subject) ?? [])
      listen(body, (text) => reply !== undefined && signal(reply, text));
  };
  return {
    signal,
    async listen(subject: string, listener: Listener): Promise<void> {
      listeners.set(subject, [...(listeners.get(subject) ?? []), listener]);
    },
    reach: async () => {},
    connections: () => 1,
    isConnected: () => true,
  } as unknown as Broker;
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

/** A revoker and a gateway with a lease. */
async function start(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const broker = localBroker();
  const revoke = createRevoker(broker);
  const cache = createRightsCache(broker);
  t.after(() => cache.close());
  await soon();
  t.mock.timers.tick(500);
  await soon();
  let loads = 0;
  const load = async () => ({ value: ++loads, keys: ['user:usr_1'] as const });
  return { revoke, cache, read: () => cache.getOrLoad('rights', load) };
}

test('a gateway with a lease caches rights until a service revokes them', async (t) => {
  const { revoke, read } = await start(t);
  assert.deepEqual([await read(), await read()], [1, 1]);
  const revoked = revoke(['user:usr_1']);
  await soon();
  assert.equal(await read(), 2);
  await revoked;
});

test('revoking another key keeps the cached rights', async (t) => {
  const { revoke, read } = await start(t);
  await read();
  const revoked = revoke(['user:usr_2']);
  await soon();
  assert.equal(await read(), 1);
  await revoked;
});

test('a gateway without a lease caches nothing', async (t) => {
  const { cache, read } = await start(t);
  cache.close();
  assert.deepEqual([await read(), await read()], [1, 2]);
});

test('rights that were loaded during a revocation are not cached', async (t) => {
  const { revoke, cache } = await start(t);
  let finish = (): void => {};
  const loading = cache.getOrLoad('rights', async () => {
    await new Promise<void>((resolve) => (finish = resolve));
    return { value: 'old', keys: ['user:usr_1'] };
  });
  const revoked = revoke(['user:usr_1']);
  await soon();
  finish();
  assert.equal(await loading, 'old');
  const again = async () => ({ value: 'new', keys: ['user:usr_1'] as const });
  assert.equal(await cache.getOrLoad('rights', again), 'new');
  await revoked;
});

test('a revocation takes no longer than a lease', async (t) => {
  const { revoke } = await start(t);
  const begun = performance.now();
  await revoke(['user:usr_1']);
  assert.ok(performance.now() - begun < leaseMs + 1000);
});

test('a value that has ended when it is loaded is not cached', async (t) => {
  const { cache } = await start(t);
  let loads = 0;
  const load = async () => ({ value: ++loads, keys: [], endsAt: 0 });
  const read = () => cache.getOrLoad('unknown token', load);
  assert.deepEqual([await read(), await read()], [1, 2]);
});
