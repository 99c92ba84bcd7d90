import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { unauthenticated, unavailable } from '@bailiwick/errors';
import { createVerifier } from './verify.ts';

const explainedWithinMs = 20;

/** The fresh values that a verifier reports for a cached 1, if the next load does this. */
async function reportedFor(
  load: () => Promise<{ value: unknown }>,
  { revokes = false, isHeld = true } = {},
): Promise<string[]> {
  const reported: string[] = [];
  const verifier = createVerifier({
    report: ({ fresh }) => reported.push(fresh),
    explainedWithinMs,
  });
  const entry = { value: 1, keys: ['user:usr_1'] as const };
  await verifier.compare('rights', entry, load, () => isHeld);
  verifier.revoked(revokes ? ['user:usr_1'] : ['user:usr_2']);
  await sleep(3 * explainedWithinMs);
  return reported;
}

const two = async () => ({ value: 2 });

test('a value that differs is reported, and so is one whose load is refused', async () => {
  assert.deepEqual(await reportedFor(two), ['2']);
  assert.deepEqual(await reportedFor(() => Promise.reject(unauthenticated())), ['unauthenticated']);
});

test('a difference is reported when the process ends before its time', async () => {
  const reported: string[] = [];
  const verifier = createVerifier({ report: ({ name }) => reported.push(name) });
  const entry = { value: 1, keys: [] };
  await verifier.compare('rights', entry, two, () => true);
  verifier.end();
  assert.deepEqual(reported, ['rights']);
});

test('a value that is the same, revoked or gone is not reported, and an outage says nothing', async () => {
  assert.deepEqual(await reportedFor(async () => ({ value: 1 })), []);
  assert.deepEqual(await reportedFor(two, { revokes: true }), []);
  assert.deepEqual(await reportedFor(two, { isHeld: false }), []);
  assert.deepEqual(await reportedFor(() => Promise.reject(unavailable())), []);
});

test('a key in the log of a service that no value follows is reported', () => {
  const reported: string[] = [];
  const verifier = createVerifier({
    reportUnexpected: (service, keys) => reported.push(`${service} ${keys.join()}`),
  });
  verifier.logged('access', ['user:usr_1', 'tenant:tnt_1']);
  verifier.logged('sso', ['app:app_1', 'user:usr_1']);
  assert.deepEqual(reported, ['sso user:usr_1']);
});
