import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnavailable, startFollowing, state, token, until } from '../testing/following.ts';
import { credential } from '../testing/gateway.ts';
import { hostPlatform } from './platform.ts';

test('a lost connection drops all entries, and a question is asked again on the next one', async (t) => {
  const { follower: own, gateway } = await startFollowing(t);
  const rights = await own.rights(token);
  gateway.script.answer = () => undefined;
  const connection = await gateway.connection(0);
  const question = own.rights({ ...token, sid: 'ses_2' });
  await connection.read('ask');
  await connection.read('ask');
  connection.terminate();
  const next = await gateway.connection(1);
  const { ID } = await next.read('ask');
  assert.throws(() => rights.can('app.reports.read'), isUnavailable);
  next.answer(ID, { Value: state });
  assert.equal((await question).can('app.reports.read'), true);
  await own.ready();
  assert.equal(own.state, 'following');
});

test('close drops the entries before it closes, and questions then fail', async (t) => {
  const { follower: own, gateway } = await startFollowing(t);
  const rights = await own.rights(token);
  own.close();
  assert.throws(() => rights.can('app.reports.read'), isUnavailable);
  assert.equal(own.state, 'closed');
  await assert.rejects(own.rights(token), isUnavailable);
  await assert.rejects(own.ready(), isUnavailable);
  const connection = await gateway.connection(0);
  assert.equal(await connection.closed(), 1000);
  // The revoking reply waits for no lease.
  assert.deepEqual((await connection.read('forget'))['Handles'], [1]);
});

test('close forgets many entries in frames that a gateway takes', async (t) => {
  const { follower: own, gateway } = await startFollowing(t);
  const sessions = Array.from({ length: 900 }, (_, index) => `ses_${index}`);
  await Promise.all(sessions.map((sid) => own.confirm({ ...token, sid })));
  own.close();
  const connection = await gateway.connection(0);
  await connection.closed();
  const first = (await connection.read('forget'))['Handles'] as number[];
  const second = (await connection.read('forget'))['Handles'] as number[];
  assert.deepEqual([first.length, second.length], [500, 400]);
  assert.equal(new Set([...first, ...second]).size, 900);
});

test('entries of a lease that is over are forgotten', async (t) => {
  const { follower: own, gateway, passed } = await startFollowing(t);
  const rights = await own.rights(token);
  passed.wallMs -= 60_000;
  assert.equal(rights.isCurrent(), false);
  const connection = await gateway.connection(0);
  assert.deepEqual((await connection.read('forget'))['Handles'], [1]);
});

test('a refused credential fails at once, without its text, and is tried again after a second', async (t) => {
  const waits: number[] = [];
  const host = hostPlatform();
  const {
    follower: own,
    gateway,
    messages,
  } = await startFollowing(
    t,
    { welcomes: false },
    {
      platform: {
        after(ms, run) {
          waits.push(ms);
          return host.after(ms >= 1000 && ms < 1300 ? 0 : ms, run);
        },
      },
    },
  );
  const isRefused = (error: unknown) => isUnavailable(error) && /4401 refused/.test(String(error));
  const failures = Promise.all([
    assert.rejects(own.rights(token), isRefused),
    assert.rejects(own.ready(), isRefused),
  ]);
  for (const [number, code] of [4401, 4403].entries()) {
    const connection = await gateway.connection(number);
    await connection.read('hello');
    connection.close(code, 'refused');
  }
  await failures;
  await until(() => own.state === 'refused' && messages.length === 2);
  await assert.rejects(own.confirm(token), isUnavailable);
  assert.ok(messages.every((message) => !message.includes(credential)));
  const retries = waits.filter((ms) => ms !== 3000 && ms !== 5000);
  assert.equal(retries.length, 2);
  assert.ok(
    retries.every((ms, index) => ms >= 1000 * 2 ** index),
    String(retries),
  );
});

test('a gateway that stops is replaced at once', async (t) => {
  const { follower: own, gateway, passed } = await startFollowing(t);
  await own.rights(token);
  passed.monotonicMs += 1000;
  (await gateway.connection(0)).close(1001, 'the gateway stops');
  await gateway.connection(1);
  assert.equal((await own.rights(token)).can('app.reports.read'), true);
});

test('a question without an answer fails after three seconds, and a late answer is not kept', async (t) => {
  const host = hostPlatform();
  let expire = () => {};
  const { follower: own, gateway } = await startFollowing(
    t,
    {},
    {
      platform: {
        after(ms, run) {
          if (ms === 3000) expire = run;
          return ms === 3000 ? () => {} : host.after(ms, run);
        },
      },
    },
  );
  const question = own.rights(token);
  const connection = await gateway.connection(0);
  const { ID } = await connection.read('ask');
  expire();
  await assert.rejects(question, isUnavailable);
  const handle = connection.answer(ID, { Value: state });
  assert.deepEqual((await connection.read('forget'))['Handles'], [handle]);
});

test('a gateway that is silent is left', async (t) => {
  const { follower: own, gateway, passed } = await startFollowing(t);
  await own.rights(token);
  gateway.script.oks = false;
  const connection = await gateway.connection(0);
  for (let beats = connection.frames.length; connection.frames.length === beats; )
    await new Promise<void>((resolve) => setImmediate(resolve));
  passed.monotonicMs += 4000;
  assert.equal(await connection.closed(), 4408);
});
