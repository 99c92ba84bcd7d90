import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { GatewayFrame } from './frames.ts';
import { createHolder } from './holder.ts';
import { createLoans } from './loans.ts';

// The copies of a follower, until it cannot use them any more.

const soon = () => new Promise((resolve) => setImmediate(resolve));

/** A follower whose frames and clock are the test's. */
function start(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let clock = 1000;
  t.mock.method(performance, 'now', () => clock);
  const loans = createLoans();
  const frames: GatewayFrame[] = [];
  const closed: number[] = [];
  const link = {
    send: (frame: GatewayFrame) => void frames.push(frame),
    close: (code: number) => void closed.push(code),
  };
  const lapses: string[] = [];
  const holder = createHolder({ loans, link, onLapse: () => lapses.push('lapse') });
  const pass = async (ms: number): Promise<void> => {
    clock += ms;
    t.mock.timers.tick(ms);
    await soon();
  };
  /** Revokes a key. Tells whether it is acknowledged. */
  function revoke(key: 'user:usr_1' | 'bot:bot_1') {
    const state = { isOver: false };
    const end = loans.borrowers.revoke([key]);
    if (end) void end.then(() => (state.isOver = true));
    else state.isOver = true;
    return state;
  }
  const add = (lastsMs = 300_000) => holder.add({ keys: ['user:usr_1'], lastsMs });
  return { holder, loans, frames, closed, lapses, pass, revoke, add };
}

test('a revocation is over once the follower has dropped the copy', async (t) => {
  const { holder, frames, revoke, add } = start(t);
  const handles = [add(), add()];
  const revocation = revoke('user:usr_1');
  assert.deepEqual(frames, [{ Type: 'drop', ID: 1, Handles: handles }]);
  await soon();
  assert.equal(revocation.isOver, false);
  holder.acknowledge(1);
  await soon();
  assert.equal(revocation.isOver, true);
  assert.equal(holder.size(), 0);
  assert.equal(revoke('user:usr_1').isOver, true);
});

test('a second revocation waits for the drop of the first, and sends none', async (t) => {
  const { holder, frames, revoke, add } = start(t);
  add();
  const revocations = [revoke('user:usr_1'), revoke('user:usr_1')];
  assert.equal(frames.length, 1);
  await soon();
  assert.deepEqual(
    revocations.map(({ isOver }) => isOver),
    [false, false],
  );
  holder.acknowledge(1);
  await soon();
  assert.ok(revocations.every(({ isOver }) => isOver));
});

test('a follower that does not acknowledge is closed, and its lease waited out', async (t) => {
  const { holder, closed, pass, revoke, add } = start(t);
  assert.equal(holder.extendLease(5000), 1500);
  add();
  const revocation = revoke('user:usr_1');
  await pass(200);
  assert.deepEqual(closed, [4408]);
  // Late, and it proves nothing: the copy may have been used since.
  holder.acknowledge(1);
  await pass(1299);
  assert.equal(revocation.isOver, false);
  await pass(6);
  assert.equal(revocation.isOver, true);
});

test('a follower whose connection is lost keeps its copies until its lease is over', async (t) => {
  const { holder, pass, revoke, add } = start(t);
  holder.extendLease(1000);
  add();
  await pass(400);
  void holder.lose();
  const revocation = revoke('user:usr_1');
  await pass(599);
  assert.equal(revocation.isOver, false);
  await pass(6);
  assert.equal(revocation.isOver, true);
  assert.equal(holder.size(), 0);
  assert.equal(revoke('user:usr_1').isOver, true);
});

test('a follower without a lease or without copies is not waited for', async (t) => {
  for (const prepare of [
    ({ add }: ReturnType<typeof start>) => add(),
    ({ holder }: ReturnType<typeof start>) => holder.extendLease(1000),
  ]) {
    const follower = start(t);
    prepare(follower);
    void follower.holder.lose();
    const revocation = follower.revoke('user:usr_1');
    await soon();
    assert.equal(revocation.isOver, true);
    t.mock.timers.reset();
    t.mock.restoreAll();
  }
});

test('a shorter lease does not shorten the one that the follower may have', async (t) => {
  const { holder, pass, revoke, add } = start(t);
  holder.extendLease(1500);
  add();
  await pass(100);
  assert.equal(holder.extendLease(300), 300);
  void holder.lose();
  const revocation = revoke('user:usr_1');
  await pass(1300);
  assert.equal(revocation.isOver, false);
  await pass(110);
  assert.equal(revocation.isOver, true);
});

test('the end of its right takes all copies back and closes the connection', async (t) => {
  const { holder, frames, closed, revoke, add } = start(t);
  holder.setRight({ keys: ['bot:bot_1'], lastsMs: 300_000 }, 'tnt_1');
  const handle = add();
  const revocation = revoke('bot:bot_1');
  assert.deepEqual(frames, [{ Type: 'drop', ID: 1, Handles: [handle] }]);
  await soon();
  assert.deepEqual([closed, revocation.isOver], [[], false]);
  assert.ok(holder.isEnding());
  holder.acknowledge(1);
  await soon();
  assert.deepEqual([closed, revocation.isOver], [[4409], true]);
});

test('a right that is confirmed again depends on its new keys only', async (t) => {
  const { holder, closed, revoke } = start(t);
  holder.setRight({ keys: ['bot:bot_1'], lastsMs: 1 }, 'tnt_1');
  holder.setRight({ keys: ['user:usr_1'], lastsMs: 1 }, 'tnt_1');
  revoke('bot:bot_1');
  await soon();
  assert.deepEqual(closed, []);
  revoke('user:usr_1');
  await soon();
  assert.deepEqual(closed, [4409]);
});

test('copies that the follower forgets, or whose time has ended, are not dropped', async (t) => {
  const { holder, frames, pass, revoke, add } = start(t);
  holder.forget([add(), 99]);
  add(50);
  await pass(51);
  holder.sweep(performance.now());
  assert.equal(revoke('user:usr_1').isOver, true);
  assert.deepEqual(frames, []);
});

test('a lost lease of a service takes all copies back and doubts the right, unless it revokes none', async (t) => {
  const { loans, frames, lapses, add } = start(t);
  const handle = add();
  loans.borrowers.drop('notifications');
  assert.deepEqual([frames, lapses], [[], []]);
  loans.borrowers.drop('sso');
  assert.equal(lapses.length, 1);
  assert.deepEqual(frames, [{ Type: 'drop', ID: 1, Handles: [handle] }]);
});

test('a follower, a tenant and a gateway have limits of entries', (t) => {
  const { holder, loans, add } = start(t);
  holder.setRight({ keys: ['bot:bot_1'], lastsMs: 1 }, 'tnt_1');
  const handle = add();
  for (let count = 1; count < 25_000; count++) loans.count('tnt_1', 1);
  assert.deepEqual(
    [loans.isFull('tnt_1'), holder.isFull(), loans.isFull('tnt_2')],
    [true, true, false],
  );
  holder.forget([handle]);
  assert.equal(holder.isFull(), false);
  for (let count = 1; count <= 225_001; count++) loans.count(`tnt_${count}`, 1);
  assert.ok(loans.isFull('tnt_0'));
});
