import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Broker } from '../broker.ts';
import type { RightsKey } from './keys.ts';
import { entryMs, leaseMs } from './lease.ts';
import type { FollowLog, RevocationLogs } from './logs.ts';
import { createRightsCache } from './revocation.ts';

// A cache that hears no signal at all: what the logs of the services alone end.

const soon = () => new Promise((resolve) => setImmediate(resolve));
const beginningMs = 150;

/** The log of a service, in which a test revokes keys. */
function createServiceLog() {
  const state = { keys: [] as RightsKey[], isAway: false, deaf: false, complete: false };
  const follow: FollowLog = async () => {
    if (state.isAway) throw new Error('the service is away');
    const { deaf, complete } = state;
    return { keys: state.keys.splice(0), snapshot: '1', reset: false, deaf, complete };
  };
  return { state, follow };
}

async function start(
  t: TestContext,
  logs: RevocationLogs,
  options?: Parameters<typeof createRightsCache>[2],
) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let [wall, monotonic] = [10_000_000, 1000];
  t.mock.method(Date, 'now', () => wall);
  t.mock.method(performance, 'now', () => monotonic);
  const broker = {
    signal() {},
    listen: () => Promise.resolve(),
    reach: () => Promise.resolve(),
  } as unknown as Broker;
  const cache = createRightsCache(broker, logs, options);
  t.after(() => cache.close());
  await soon();
  const pass = async (ms: number): Promise<void> => {
    wall += ms;
    monotonic += ms;
    t.mock.timers.tick(ms);
    await soon();
  };
  let loads = 0;
  /** Whether a value under these keys comes from the cache. */
  const isCached = async (...keys: RightsKey[]): Promise<boolean> => {
    const before = loads;
    await cache.getOrLoad(keys.join(), async () => ({ value: ++loads, keys, lastsMs: Infinity }));
    return loads === before;
  };
  /** Begins the leases that values under these keys need. */
  async function begin(...keys: RightsKey[]): Promise<void> {
    await isCached(...keys);
    await soon();
    await pass(beginningMs);
  }
  const setWall = (ms: number) => void (wall += ms);
  return { cache, pass, isCached, begin, setWall };
}

const session = 'credential:ses_1';
const app = 'app:app_1';

test('a key in the log of a service ends its values with the next renewal, and no others', async (t) => {
  const [identity, sso] = [createServiceLog(), createServiceLog()];
  const { begin, pass, isCached } = await start(t, { identity: identity.follow, sso: sso.follow });
  await begin(session, app);
  // Loaded just before the renewal, they would live for two more seconds.
  await pass(1000 - beginningMs - 1);
  for (const keys of [[session], [app], [session, app]] as const) await isCached(...keys);
  identity.state.keys.push(session);
  await pass(1);
  assert.deepEqual(
    [await isCached(session), await isCached(session, app), await isCached(app)],
    [false, false, true],
  );
});

test('a value that is loaded while a renewal brings a key is not cached', async (t) => {
  const identity = createServiceLog();
  const { begin, pass, cache, isCached } = await start(t, { identity: identity.follow });
  await begin(session);
  let finish = (): void => {};
  const loading = cache.getOrLoad(session, async () => {
    await new Promise<void>((resolve) => (finish = resolve));
    return { value: 'old', keys: [session], lastsMs: Infinity };
  });
  identity.state.keys.push(session);
  await pass(1000);
  finish();
  assert.equal(await loading, 'old');
  assert.equal(await isCached(session), false);
});

test('a value is used while all services that can revoke it renew the lease, whatever the others do', async (t) => {
  const [identity, sso] = [createServiceLog(), createServiceLog()];
  const { begin, pass, isCached } = await start(t, { identity: identity.follow, sso: sso.follow });
  await begin(session, app);
  await isCached(session, app);
  assert.equal(await isCached(session, app), true);
  sso.state.isAway = true;
  await pass(1000);
  await isCached(session);
  await pass(leaseMs - 1000);
  await isCached(session);
  assert.deepEqual([await isCached(session), await isCached(session, app)], [true, false]);
  assert.equal(await isCached(session, app), false, 'it is not cached again either');
});

test('a service without a log, or that refuses the holder, has nothing cached', async (t) => {
  const identity = createServiceLog();
  identity.state.isAway = true;
  const { begin, isCached } = await start(t, { identity: identity.follow });
  await begin(session);
  for (const key of [session, app] as const)
    assert.deepEqual([await isCached(key), await isCached(key)], [false, false], key);
});

test('a deaf holder drops what the service can revoke, and caches nothing of it', async (t) => {
  const [identity, sso] = [createServiceLog(), createServiceLog()];
  const { begin, pass, isCached } = await start(t, { identity: identity.follow, sso: sso.follow });
  await begin(session, app);
  for (const key of [session, app] as const) await isCached(key);
  identity.state.deaf = true;
  await pass(1000);
  assert.deepEqual([await isCached(session), await isCached(app)], [false, true]);
  assert.equal(await isCached(session), false);
});

test('a clock that is set back keeps no value longer than two seconds', async (t) => {
  const identity = createServiceLog();
  const { begin, pass, isCached, setWall } = await start(t, { identity: identity.follow });
  await begin(session);
  await isCached(session);
  setWall(-3_600_000);
  assert.equal(await isCached(session), true);
  for (let second = 0; second < leaseMs / 1000; second++) await pass(1000);
  assert.equal(await isCached(session), false);
});

test('a value lives a minute once the logs of all services that can revoke it are complete', async (t) => {
  const [identity, access] = [createServiceLog(), createServiceLog()];
  const logs = { identity: identity.follow, access: access.follow };
  const { begin, pass, isCached } = await start(t, logs);
  identity.state.complete = true;
  const user = 'user:usr_1';
  await begin(session, user);
  for (const key of [session, user] as const) await isCached(key);
  for (let second = 0; second < 3; second++) await pass(1000);
  // access can revoke a user's key too, and an older version of it may run.
  assert.deepEqual([await isCached(session), await isCached(user)], [true, false]);
  for (let second = 3; second < entryMs / 1000 - 1; second++) {
    await pass(1000);
    assert.equal(await isCached(session), true);
  }
  await pass(1000);
  assert.equal(await isCached(session), false);
});

test('a cache whose values no signal ends keeps none until their logs are complete', async (t) => {
  const identity = createServiceLog();
  const logs = { identity: identity.follow };
  const { begin, pass, isCached } = await start(t, logs, { incompleteMs: 0 });
  await begin(session);
  assert.deepEqual([await isCached(session), await isCached(session)], [false, false]);
  identity.state.complete = true;
  await pass(1000);
  assert.deepEqual([await isCached(session), await isCached(session)], [false, true]);
  identity.state.complete = false;
  await pass(1000);
  assert.equal(await isCached(session), false, 'the way back to the previous version is open');
});

test('a value that lives longer ends with a key in the log, and when its holder lost the lease', async (t) => {
  const identity = createServiceLog();
  const { begin, pass, isCached } = await start(t, { identity: identity.follow });
  identity.state.complete = true;
  await begin(session);
  await isCached(session);
  for (let second = 0; second < 5; second++) {
    await pass(1000);
    await isCached(session);
  }
  identity.state.keys.push(session);
  await pass(1000);
  assert.equal(await isCached(session), false);
  assert.equal(await isCached(session), true);
  identity.state.isAway = true;
  for (let second = 0; second < 3; second++) await pass(1000);
  assert.equal(await isCached(session), false, 'the lease has ended');
  identity.state.isAway = false;
  await pass(1000);
  assert.equal(await isCached(session), false, 'the value is from before the lease');
});

test('a revocation keeps values out that load meanwhile under its key, and no others', async (t) => {
  const identity = createServiceLog();
  const { begin, pass, cache, isCached } = await start(t, { identity: identity.follow });
  await begin(session);
  const other = 'credential:ses_2';
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const loading = [session, other].map((key) =>
    cache.getOrLoad(key, async () => {
      await finished;
      return { value: 0, keys: [key as RightsKey], lastsMs: Infinity };
    }),
  );
  identity.state.keys.push(session);
  await pass(1000);
  finish();
  await Promise.all(loading);
  assert.deepEqual([await isCached(session), await isCached(other)], [false, true]);
});
