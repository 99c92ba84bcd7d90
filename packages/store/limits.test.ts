import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerNetwork, homeNetwork, perMinute } from '@bailiwick/contract';
import { countAddress, createLimiter } from './limits.ts';
import type { Database } from './orm.ts';

/** A limiter whose statement returns this number of uses and seconds. */
const limiterAt = (count: number, seconds_left: number) =>
  createLimiter({ query: async () => [{ count, seconds_left }] } as unknown as Database);

test('a limiter allows the last use of a window, and rejects the next with the seconds left', async () => {
  await limiterAt(3, 20).take('key', perMinute(3));
  await assert.rejects(limiterAt(4, 20).take('key', perMinute(3)), {
    code: 'resource_exhausted',
    retryAfter: 20,
  });
  assert.equal(await limiterAt(4, 20).use('key', perMinute(3)), 20);
});

test('a limiter reports the remaining uses, and no more seconds than the window has', async () => {
  assert.deepEqual(await limiterAt(1, 61).count('key', perMinute(3)), {
    limit: 3,
    windowSeconds: 60,
    remaining: 2,
    resetSeconds: 60,
    exceeded: false,
  });
});

test('several callers at once count with one statement, and each gets its part of the uses', async () => {
  const sums: unknown[] = [];
  let count = 0;
  const query = async (_statement: unknown, [, , uses]: [string, number, number]) => {
    sums.push(uses);
    count += uses;
    return [{ count, seconds_left: 20 }];
  };
  const limiter = createLimiter({ query } as unknown as Database);
  const sizes = [4, 3, 2, 5];
  const parts = await Promise.all(
    sizes.map((size) => limiter.takeSeveral('key', perMinute(8), size)),
  );
  assert.deepEqual(
    parts.map(({ allowed }) => allowed),
    [4, 3, 1, 0],
  );
  assert.deepEqual(sums, [4, 10]);
});

test('uses in a batch count with one statement, each key for itself', async () => {
  const statements: string[][] = [];
  const counts = new Map([['one', 1]]);
  const query = async (_statement: unknown, [keys]: [string[]]) => {
    statements.push(keys);
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    return [...new Set(keys)].map((key) => ({ key, count: counts.get(key), seconds_left: 20 }));
  };
  const { useInBatch } = createLimiter({ query } as unknown as Database);
  const keys = ['one', 'other', 'one', 'other'];
  const waits = await Promise.all(keys.map((key) => useInBatch(key, perMinute(2))));
  assert.deepEqual(waits, [0, 0, 20, 0]);
  assert.deepEqual(statements, [keys]);
});

test('countAddress reports the state to newer gateways, and throws for older ones', async () => {
  const count = countAddress(limiterAt(4, 20), { login: perMinute(3) });
  const call = { rate: 'login', ip: '192.0.2.1' };
  assert.equal((await count({ ...call, report: true })).exceeded, true);
  await assert.rejects(count({ ...call, report: false }), { code: 'resource_exhausted' });
  assert.deepEqual(await count({ ...call, rate: 'unknown', report: true }), {});
});

test('a client is an IPv4 address or an IPv6 /64, in any spelling', () => {
  assert.equal(callerNetwork('::ffff:192.0.2.7'), '192.0.2.7');
  for (const spelling of ['2001:db8::1', '2001:0db8:0:0:ffff::', '2001:db8::2%eth0'])
    assert.equal(callerNetwork(spelling), '2001:db8:0:0::/64');
  assert.equal(homeNetwork('192.0.2.7'), '192.0.2.0/24');
  assert.equal(homeNetwork('2001:db8::1'), '2001:db8:0:0::/64');
});
