import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { leaseMs } from './lease.ts';
import type { FollowLog } from './logs.ts';
import { createRightsCache, followRevocations } from './revocation.ts';
import { createRevoker } from './revoker.ts';
import { localBroker } from './testing/local-broker.ts';

/** The log of a service that no cache follows. */
const noHolders = { fresh: async () => [], markDeaf: async () => {} };

const follow: FollowLog = async () => ({
  keys: [],
  snapshot: '1',
  reset: false,
  deaf: false,
  complete: false,
});
/** Logs in which nothing is revoked. */
const quietLogs = { identity: follow, access: follow };

const soon = () => new Promise((resolve) => setImmediate(resolve));

/** Longer than a lease begins. */
const beginningMs = 150;

/** A revoker, by default one that has listened for a whole lease, and a gateway with a lease. */
async function start(
  t: TestContext,
  { maxBytes = 100_000, mocked = ['setInterval', 'Date'] as Array<'setInterval' | 'Date'> } = {},
) {
  t.mock.timers.enable({ apis: mocked });
  t.after(() => t.mock.timers.reset());
  const broker = localBroker();
  const revoke = createRevoker(broker, noHolders);
  await soon();
  if (mocked.includes('Date')) t.mock.timers.tick(leaseMs);
  const cache = createRightsCache(broker, quietLogs, { maxBytes });
  t.after(() => cache.close());
  await soon();
  const first = { value: '', keys: ['user:usr_0'] as const, lastsMs: Infinity };
  await cache.getOrLoad('first', async () => first);
  await soon();
  if (mocked.includes('Date')) t.mock.timers.tick(beginningMs);
  else await sleep(beginningMs);
  let loads = 0;
  const load = async () => ({ value: ++loads, keys: ['user:usr_1'] as const, lastsMs: Infinity });
  return { broker, revoke, cache, read: () => cache.getOrLoad('rights', load) };
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
    return { value: 'old', keys: ['user:usr_1'], lastsMs: Infinity };
  });
  const revoked = revoke(['user:usr_1']);
  await soon();
  finish();
  assert.equal(await loading, 'old');
  const again = async () => ({ value: 'new', keys: ['user:usr_1'] as const, lastsMs: Infinity });
  assert.equal(await cache.getOrLoad('rights', again), 'new');
  await revoked;
});

test('a service that stood still reads the heartbeats that wait before it forgets a gateway', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  t.after(() => t.mock.timers.reset());
  const broker = localBroker();
  const revoke = createRevoker(broker, noHolders);
  const beat = (holder: string) =>
    broker.signal('bailiwick.lease', JSON.stringify({ holder, ends: false }));
  let answer = (_holder: string): void => {};
  await broker.listen('bailiwick.revoke', (body, respond) => {
    const { id } = JSON.parse(body) as { id: string };
    answer = (holder) => respond(JSON.stringify({ id, holder }));
  });
  await soon();
  beat('slow');
  t.mock.timers.tick(900);
  beat('quick');
  t.mock.timers.tick(1110);
  // The heartbeat of 1000 ms is in the socket. It is read before the broker's response.
  broker.reach = async () => beat('slow');
  let isRevoked = false;
  const revoked = revoke(['user:usr_1']).then(() => (isRevoked = true));
  await soon();
  answer('quick');
  await sleep(50);
  assert.equal(isRevoked, false);
  answer('slow');
  await revoked;
});

test('a service hears of a lease that has just begun before it replies', async (t) => {
  const broker = localBroker();
  const revoke = createRevoker(broker, noHolders);
  const beat = (holder: string) =>
    broker.signal('bailiwick.lease', JSON.stringify({ holder, ends: false }));
  let answer = (_holder: string): void => {};
  await broker.listen('bailiwick.revoke', (body, respond) => {
    const { id } = JSON.parse(body) as { id: string };
    answer = (holder) => respond(JSON.stringify({ id, holder }));
  });
  await soon();
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + leaseMs });
  t.after(() => t.mock.timers.reset());
  beat('old');
  // The first heartbeat of another gateway is in the socket.
  broker.reach = async () => beat('new');
  let isRevoked = false;
  const revoked = revoke(['user:usr_1']).then(() => (isRevoked = true));
  await soon();
  answer('old');
  await sleep(50);
  assert.equal(isRevoked, false);
  answer('new');
  await revoked;
});

test('a gateway caches nothing that was asked for when its lease began', async (t) => {
  const { cache, read } = await start(t);
  t.mock.timers.tick(leaseMs + 20_000);
  assert.deepEqual([await read(), await read()], [1, 2], 'without a lease');
  await soon();
  assert.equal(await read(), 3, 'as the lease began');
  t.mock.timers.tick(beginningMs);
  assert.deepEqual([await read(), await read()], [4, 4]);
  cache.close();
});

test('a gateway without calls sends no heartbeats, and no revocation waits for it', async (t) => {
  const { broker, cache, revoke, read } = await start(t);
  let heartbeats = 0;
  await broker.listen('bailiwick.lease', () => heartbeats++);
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      t.mock.timers.tick(1000);
      await soon();
    }
    return heartbeats;
  };
  assert.ok((await pass(5)) >= 4, 'it was read less than ten seconds ago');
  const last = await pass(10);
  assert.equal(await pass(60), last);
  const began = performance.now();
  await revoke(['user:usr_1']);
  assert.ok(performance.now() - began < leaseMs / 2);
  await read();
  assert.ok((await pass(1)) > last, 'it begins again with a call');
  cache.close();
});

test('a follower hears of a revocation that no cache has to hear of', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  t.after(() => t.mock.timers.reset());
  const broker = localBroker();
  const keysReceived: string[] = [];
  followRevocations(broker, (keys) => keysReceived.push(...keys));
  const revoke = createRevoker(broker, noHolders);
  await soon();
  t.mock.timers.tick(leaseMs + 1);
  await revoke(['user:usr_1']);
  assert.deepEqual(keysReceived, ['user:usr_1']);
});

test('a gateway that stopped without a word does not delay a revocation after its lease', async (t) => {
  const { broker, revoke } = await start(t);
  broker.signal('bailiwick.lease', JSON.stringify({ holder: 'dead', ends: false }));
  for (let seconds = 0; seconds < 3; seconds++) {
    t.mock.timers.tick(1000);
    await soon();
  }
  const began = performance.now();
  await revoke(['user:usr_1']);
  assert.ok(performance.now() - began < leaseMs / 2);
});

test('a revocation takes no longer than a lease', async (t) => {
  const { revoke } = await start(t, { mocked: ['setInterval'] });
  const began = performance.now();
  await revoke(['user:usr_1']);
  assert.ok(performance.now() - began < leaseMs + 1000);
});

test('a value that has ended when it is loaded is not cached', async (t) => {
  const { cache } = await start(t);
  let loads = 0;
  const load = async () => ({ value: ++loads, keys: [], lastsMs: 0 });
  const read = () => cache.getOrLoad('unknown token', load);
  assert.deepEqual([await read(), await read()], [1, 2]);
});

test('a gateway whose lease has lapsed drops its cache, since it missed revocations', async (t) => {
  const { broker, cache, read } = await start(t);
  let finish = (): void => {};
  const slow = () =>
    new Promise<{ value: string; keys: []; lastsMs: number }>((resolve) => {
      finish = () => resolve({ value: 'old', keys: [], lastsMs: Infinity });
    });
  broker.state.isAway = true;
  t.mock.timers.tick(1600);
  assert.deepEqual([await read(), await read()], [1, 1], 'the lease still holds');
  const loading = cache.getOrLoad('slow', slow);
  t.mock.timers.tick(600);
  assert.equal(await read(), 2, 'the lease has lapsed');
  await soon();
  broker.state.isAway = false;
  t.mock.timers.tick(1000);
  await soon();
  t.mock.timers.tick(beginningMs);
  finish();
  assert.equal(await loading, 'old');
  assert.deepEqual([await read(), await read()], [3, 3]);
  assert.equal(
    await cache.getOrLoad('slow', async () => ({ value: 'new', keys: [], lastsMs: Infinity })),
    'new',
  );
});

test('a full cache drops the entries that were not read for the longest time', async (t) => {
  const { cache } = await start(t, { maxBytes: 10 });
  const loads: string[] = [];
  const read = (name: string, bytes: number) =>
    cache.getOrLoad(name, async () => {
      loads.push(name);
      return { value: name, keys: ['tenant:tnt_1'] as const, lastsMs: Infinity, bytes };
    });
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await read(name, 4);
  assert.deepEqual(loads, ['a', 'b', 'c', 'b']);
  for (const name of ['huge', 'huge', 'a']) await read(name, name === 'huge' ? 11 : 4);
  assert.deepEqual(loads.slice(4), ['huge', 'huge'], 'too large to be kept, and drops nothing');
});

test('a revocation drops the entries of its keys, after replacements and evictions too', async (t) => {
  const { revoke, cache } = await start(t, { maxBytes: 3 * 2048 });
  const read = (name: string, key: 'tenant:tnt_1' | 'user:usr_1') => {
    let isLoaded = false;
    const load = async () => {
      isLoaded = true;
      return { value: name, keys: [key, 'tenant:tnt_2'] as const, lastsMs: Infinity };
    };
    return cache.getOrLoad(name, load).then(() => isLoaded);
  };
  for (const name of ['a', 'b', 'c', 'd']) await read(name, 'tenant:tnt_1');
  await read('e', 'user:usr_1');
  for (const key of ['tenant:tnt_1', 'tenant:tnt_2'] as const) {
    const revoked = revoke([key]);
    await soon();
    assert.equal(await read('e', 'user:usr_1'), key === 'tenant:tnt_2');
    assert.equal(await read('d', 'tenant:tnt_1'), true);
    await revoked;
  }
});
