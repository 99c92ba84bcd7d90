import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { perMinute } from '@bailiwick/contract';
import { createCounter } from './counter.ts';

const limits = {
  issuer_page: perMinute(2),
  issuer_app: perMinute(3),
  issuer_failure: perMinute(2),
};

/** A counter whose uses are counted in memory. */
function counterOf(of: Parameters<typeof createCounter>[0]['limits'] = limits) {
  const uses = new Map<string, number>();
  const count = async (key: string, limit: { count: number; seconds: number }) => {
    const used = (uses.get(key) ?? 0) + 1;
    uses.set(key, used);
    const exceeded = used > limit.count;
    return { limit: limit.count, windowSeconds: 60, remaining: 0, resetSeconds: 30, exceeded };
  };
  const take = async (key: string, limit: { count: number; seconds: number }) => {
    if ((await count(key, limit)).exceeded) throw new Error('too many');
  };
  return createCounter({ limiter: { count, take }, limits: of });
}

const callOf = (client: string, ip = '192.0.2.1', path = '/oauth/token') => ({
  path,
  ip,
  headers: [
    { name: 'authorization', value: `Basic ${Buffer.from(`${client}:s`).toString('base64')}` },
  ],
  body: new Uint8Array(),
});

test('an app beyond its limit waits, and other apps of the address do not', async () => {
  const counter = counterOf();
  for (let use = 0; use < 3; use++) assert.equal(await counter.before(callOf('app_1')), 0);
  assert.equal(await counter.before(callOf('app_1')), 30);
  assert.equal(await counter.before(callOf('app_2')), 0);
  assert.equal(await counter.before(callOf('app_1', '192.0.2.2')), 0);
});

test('failures of an address stop it, but not its apps that have succeeded', async () => {
  const counter = counterOf();
  await counter.after(callOf('app_good'), 200);
  for (let use = 0; use < 3; use++) await counter.after(callOf(`app_${use}`), 401);
  assert.equal(await counter.before(callOf('app_new')), 30);
  assert.equal(await counter.before(callOf('app_good')), 0);
  assert.equal(await counter.before(callOf('app_new', '192.0.2.2')), 0);
});

test('pages count for the address, and without limits nothing counts', async () => {
  const page = callOf('app_1', '192.0.2.1', '/oauth/authorize?client_id=app_1');
  const counter = counterOf();
  for (let use = 0; use < 2; use++) assert.equal(await counter.before(page), 0);
  await assert.rejects(counter.before(page), /too many/);
  // Looks have a count of their own.
  for (let use = 0; use < 2; use++) await counter.beforeLook('192.0.2.1');
  await assert.rejects(counter.beforeLook('192.0.2.1'), /too many/);
  await counter.beforeLook('192.0.2.2');
  const off = counterOf({});
  for (let use = 0; use < 9; use++) {
    assert.equal(await off.before(page), 0);
    assert.equal(await off.before(callOf('app_1')), 0);
    await off.after(callOf('app_1'), 401);
  }
});
