import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createInFlight } from './in-flight.ts';

test('one client address has a limited number of unanswered sign-ins, and others are not affected', async () => {
  const signIns = createInFlight(2);
  const gate = Promise.withResolvers<string>();
  const wait = (ip: string) => signIns(ip, () => gate.promise);
  const running = [wait('192.0.2.1'), wait('::ffff:192.0.2.1')];
  await assert.rejects(wait('192.0.2.1'), { code: 'resource_exhausted', retryAfter: 1 });
  // Calls of other services name no client.
  running.push(wait('192.0.2.2'), wait(''), wait(''), wait(''));
  gate.resolve('answered');
  await Promise.all(running);
  assert.equal(await wait('192.0.2.1'), 'answered');
});

test('a sign-in that fails frees its place', async () => {
  const signIns = createInFlight(1);
  const fail = () => Promise.reject(new Error('failed'));
  for (let round = 0; round < 3; round++)
    await assert.rejects(signIns('192.0.2.1', fail), /failed/);
});
