import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Origin } from '@bailiwick/contract';
import { createLimiter, type Database } from '@bailiwick/store';
import { createThrottle } from './throttle.ts';

// test/operations/identity/limits.test.ts tests the statements. Here an object is the table.

function openFake({ networks = [] as readonly string[] } = {}) {
  const failures = new Map<string, number>();
  const reads: boolean[] = [];
  /** The uses that each statement counted, and how many such statements ran at once. */
  const counts = { uses: [] as number[], running: 0, most: 0 };
  const count = async (uses: number) => {
    counts.uses.push(uses);
    counts.most = Math.max(counts.most, ++counts.running);
    await setImmediate();
    counts.running--;
  };
  const query = async ({ name }: { name: string }, values: unknown[]) => {
    if (name === 'shared.rate_window_take') {
      await count(Number(values[2]));
      return [{ count: 1, seconds_left: 60 }];
    }
    const [key = '', network = ''] = values.map(String);
    if (name === 'identity.count_login_failure')
      failures.set(`${key} ${network}`, (failures.get(`${key} ${network}`) ?? 0) + 1);
    if (name !== 'identity.begin_attempt') return [];
    reads.push(values[3] === true);
    if (values[3] === true) await count(1);
    const place = networks.includes(network) ? network : '';
    const failed = failures.get(`${key} ${place}`) ?? 0;
    const wait = failed >= 5 ? 30 : 0;
    const row = { network: place, failures: failed, wait, used: 1, seconds_left: 60, id: null };
    return [{ ...row, pending_hash: null }];
  };
  const write = (_call: Origin, ...rest: Parameters<typeof query>) => query(...rest);
  const database = { query, write } as unknown as Database;
  const throttle = createThrottle({
    database,
    limiter: createLimiter(database),
    limits: { account: { count: 1000, seconds: 60 } },
  });
  return { throttle, failures, reads, counts };
}

const never = () => Promise.resolve(false);

test('200 guesses at once are checked five times, although each reads the failures before its turn', async () => {
  const { throttle, failures, counts } = openFake();
  let checks = 0;
  const guess = () => {
    checks++;
    return never();
  };
  const answers = await Promise.allSettled(
    Array.from({ length: 200 }, () => throttle.attempt('a@b.example', '192.0.2.1', guess)),
  );
  assert.equal(checks, 5);
  assert.equal(failures.get('a@b.example '), 5);
  assert.equal(answers.filter(({ status }) => status === 'rejected').length, 195);
  // Each counts once as a use of the account, and at most two connections wait for the count's row.
  assert.equal(
    counts.uses.reduce((sum, uses) => sum + uses),
    200,
  );
  assert.ok(counts.most <= 2, `${counts.most} counted at once`);
});

test('an attempt that waited for no other one reads the failures once', async () => {
  const { throttle, reads } = openFake();
  for (let index = 0; index < 3; index++)
    assert.equal(
      await throttle.attempt('a@b.example', '192.0.2.1', () => Promise.resolve(true)),
      true,
    );
  assert.deepEqual(reads, [true, true, true]);
});

test('an attempt from a known network does not wait for attempts from other networks', async () => {
  const { throttle } = openFake({ networks: ['198.51.100.0/24'] });
  let release = () => {};
  const stranger = throttle.attempt(
    'a@b.example',
    '192.0.2.1',
    () => new Promise<boolean>((resolve) => (release = () => resolve(false))),
  );
  assert.equal(
    await throttle.attempt('a@b.example', '198.51.100.7', () => Promise.resolve(true)),
    true,
  );
  release();
  assert.equal(await stranger, false);
});

test('wrong codes of a second factor are counted apart from wrong passwords, and from those of known networks', async () => {
  const { throttle, failures } = openFake({ networks: ['198.51.100.0/24'] });
  const answer = (holds: boolean) => () => Promise.resolve(holds);
  const guess = (ip: string) => throttle.attemptFactor('usr_1', ip, answer(false));
  for (let tries = 0; tries < 5; tries++) assert.equal(await guess('192.0.2.1'), false);
  await assert.rejects(guess('203.0.113.1'), { code: 'resource_exhausted' });
  assert.deepEqual([...failures], [['factor usr_1 ', 5]]);
  assert.equal(await throttle.attemptFactor('usr_1', '198.51.100.7', answer(true)), true);
  assert.equal(await throttle.attemptFactor('usr_2', '192.0.2.1', answer(true)), true);
  assert.equal(await throttle.attempt('usr_1', '192.0.2.1', answer(true)), true);
});
