import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnavailable, startFollowing, state, token, until } from '../testing/following.ts';
import { idleBeatMs, leaseMs } from '../testing/gateway.ts';
import { hostPlatform, type Platform } from './platform.ts';

for (const clock of ['monotonicMs', 'wallMs'] as const)
  test(`a lease ends by the ${clock} clock, with all entries`, async (t) => {
    const { follower: own, gateway, passed } = await startFollowing(t);
    const rights = await own.rights(token);
    gateway.script.oks = false;
    passed[clock] += leaseMs;
    assert.throws(() => rights.can('app.reports.read'), isUnavailable);
    passed[clock] -= leaseMs;
    // Dropped entries do not come back.
    assert.throws(() => rights.can('app.reports.read'), isUnavailable);
  });

test('a wall clock that is set back ends the lease', async (t) => {
  const { follower: own, gateway, passed } = await startFollowing(t);
  const rights = await own.rights(token);
  gateway.script.oks = false;
  passed.wallMs -= 60_000;
  assert.throws(() => rights.can('app.reports.read'), isUnavailable);
});

for (const clock of ['monotonicMs', 'wallMs'] as const)
  test(`an entry ends by the ${clock} clock after LastsMs, counted from before the question`, async (t) => {
    const { follower: own, gateway, passed } = await startFollowing(t, { answer: () => undefined });
    const question = own.rights(token);
    const connection = await gateway.connection(0);
    const { ID } = await connection.read('ask');
    // The answer takes most of the time.
    passed[clock] += 900;
    connection.answer(ID, { LastsMs: 1000, Value: state });
    const rights = await question;
    assert.equal(rights.can('app.reports.read'), true);
    passed[clock] += 100;
    assert.throws(() => rights.can('app.reports.read'), isUnavailable);
  });

test('the lease counts from before the beat, and an ok never makes it shorter', async (t) => {
  const { follower: own, gateway, passed } = await startFollowing(t, { oks: false });
  const question = own.rights(token);
  const connection = await gateway.connection(0);
  const first = await connection.read('beat');
  const second = await connection.read('beat');
  passed.monotonicMs += 1000;
  passed.wallMs += 1000;
  connection.ok(second.ID, 2000);
  connection.ok(first.ID, 10);
  connection.ok(second.ID, 60_000);
  const { ID } = await connection.read('ask');
  connection.answer(ID, { Value: state });
  const rights = await question;
  passed.wallMs += 800;
  assert.equal(rights.can('app.reports.read'), true);
  passed.wallMs += 200;
  assert.throws(() => rights.can('app.reports.read'), isUnavailable);
});

test('an answer without a lease is not kept: its handle is forgotten, and the question repeated', async (t) => {
  const { follower: own, gateway } = await startFollowing(t, { oks: false });
  const question = own.rights(token);
  const connection = await gateway.connection(0);
  const { ID } = await connection.read('ask');
  const { ID: beat } = await connection.read('beat');
  const handle = connection.answer(ID, { Value: state });
  assert.deepEqual((await connection.read('forget'))['Handles'], [handle]);
  connection.ok(beat);
  const again = await connection.read('ask');
  connection.answer(again.ID, { Value: state });
  assert.equal((await question).can('app.reports.read'), true);
});

test('an answer whose drop came first is not kept, and the question is repeated', async (t) => {
  const { follower: own, gateway } = await startFollowing(t, {});
  const question = own.rights(token);
  const connection = await gateway.connection(0);
  const { ID } = await connection.read('ask');
  await connection.drop(1);
  connection.answer(ID, { Handle: 1, Value: state });
  const again = await connection.read('ask');
  connection.answer(again.ID, { Handle: 2, Value: { ...state, Grants: {} } });
  assert.equal((await question).can('app.reports.read'), false);
});

test('an entry that is over is forgotten at a beat, and the follower becomes idle', async (t) => {
  const host = hostPlatform();
  const waits: number[] = [];
  const after: Platform['after'] = (ms, run) => {
    waits.push(ms);
    return host.after(ms, run);
  };
  const answer = () => ({ LastsMs: 1000, Value: state });
  const {
    follower: own,
    gateway,
    passed,
  } = await startFollowing(t, { answer }, { platform: { after } });
  await own.rights(token);
  const connection = await gateway.connection(0);
  // The lease goes on.
  passed.monotonicMs += 1000;
  assert.deepEqual((await connection.read('forget'))['Handles'], [1]);
  await until(() => waits.at(-1) === idleBeatMs);
});
