import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Host } from '@bailiwick/contract';
import type { RightsKey } from './keys.ts';
import { leaseMs } from './lease.ts';
import type { FollowLog } from './logs.ts';
import { createRightsCache, type Loaded, type LoanTerms, type Released } from './revocation.ts';
import { createRevoker } from './revoker.ts';
import { localBroker } from './testing/local-broker.ts';

// Copies in other processes: a revocation is acknowledged once they are gone.

const soon = () => new Promise((resolve) => setImmediate(resolve));
const beginningMs = 150;
const services: readonly Host[] = ['identity', 'access'];
const key: RightsKey = 'user:usr_1';

/** A cache with one borrower, which drops its copies when the test says so. */
async function start(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let clock = 10_000_000;
  t.mock.method(Date, 'now', () => clock);
  t.mock.method(performance, 'now', () => clock);
  const state = { isAway: false, keys: [] as RightsKey[] };
  const follow: FollowLog = async () => {
    if (state.isAway) throw new Error('the service is away');
    const keys = state.keys.splice(0);
    return { keys, snapshot: '1', reset: false, deaf: false, complete: true };
  };
  const broker = localBroker();
  const revoke = createRevoker(broker, { fresh: async () => [], markDeaf: async () => {} });
  await soon();
  // From then on it knows all holders.
  clock += leaseMs;
  const drops: Array<{ keys: readonly RightsKey[]; finish: () => void }> = [];
  const dropped: string[] = [];
  const cache = createRightsCache(
    broker,
    { identity: follow, access: follow },
    {
      borrowers: {
        revoke(keys) {
          if (!keys.includes(key)) return undefined;
          const { promise, resolve } = Promise.withResolvers<Released>();
          drops.push({ keys, finish: () => resolve({ followers: 2, followersWaited: 1 }) });
          return promise;
        },
        drop: (service) => void dropped.push(service),
        clear: () => void dropped.push('all'),
      },
    },
  );
  t.after(() => cache.close());
  await soon();
  const pass = async (ms: number): Promise<void> => {
    clock += ms;
    t.mock.timers.tick(ms);
    await soon();
  };
  const load = async (): Promise<Loaded<string>> => ({
    value: 'rights',
    keys: [key],
    lastsMs: 60_000,
  });
  const lend = (from = load) => cache.lend('rights', from, (value, terms) => ({ value, terms }));
  await lend();
  await soon();
  await pass(beginningMs);
  return { cache, state, revoke, drops, dropped, lend, pass };
}

test('a value is lent with its keys and the time that it still lasts', async (t) => {
  const { lend, pass } = await start(t);
  const terms: LoanTerms = { keys: [key], lastsMs: 60_000 };
  assert.deepEqual(await lend(), { value: 'rights', terms });
  await pass(500);
  assert.equal((await lend())?.terms.lastsMs, 59_500);
});

test('a revocation replies once the borrower has dropped its copies', async (t) => {
  const { lend, revoke, drops } = await start(t);
  await lend();
  let isReplied = false;
  const reply = revoke([key]).finally(() => (isReplied = true));
  await soon();
  await soon();
  assert.deepEqual([drops.length, isReplied], [1, false]);
  for (const { finish } of drops) finish();
  assert.deepEqual(
    (await reply).map(({ state, followers, followersWaited }) => [
      state,
      followers,
      followersWaited,
    ]),
    [['dropped', 2, 1]],
  );
});

test('a value that was revoked during its load is not lent', async (t) => {
  const { lend, revoke, drops } = await start(t);
  let finishLoad = (): void => {};
  const loading = lend(async () => {
    await new Promise<void>((resolve) => (finishLoad = resolve));
    return { value: 'old', keys: [key], lastsMs: 60_000 };
  });
  await soon();
  const reply = revoke([key]);
  await soon();
  for (const { finish } of drops) finish();
  finishLoad();
  assert.equal(await loading, undefined);
  await reply;
});

test('a revocation that only the log tells reaches the borrower before the lease goes on', async (t) => {
  const { cache, lend, state, drops, pass } = await start(t);
  await lend();
  state.keys.push(key);
  const leftMs = cache.leaseLeftMs(services);
  await pass(1000);
  assert.equal(drops.length, 1);
  assert.ok(cache.leaseLeftMs(services) >= leftMs);
});

test('the lease that is left ends with the lease in each log', async (t) => {
  const { cache, state, pass, lend } = await start(t);
  assert.ok(cache.leaseLeftMs(services) > 0);
  assert.equal(cache.leaseLeftMs(['sso']), 0);
  state.isAway = true;
  await pass(leaseMs);
  assert.equal(cache.leaseLeftMs(services), 0);
  assert.equal(await lend(), undefined);
});

test('a second lease takes all copies of its service back', async (t) => {
  const { cache, state, pass, dropped } = await start(t);
  state.isAway = true;
  await pass(leaseMs + 1);
  state.isAway = false;
  dropped.length = 0;
  cache.leaseLeftMs(services);
  await pass(1000);
  assert.deepEqual(new Set(dropped), new Set(['identity', 'access']));
});
