import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker } from '../broker.ts';
import { createGuards } from './guard.ts';
import { createRevoker } from './revoker.ts';

/** The log of a service that no cache follows. */
const noHolders = { fresh: async () => [], markDeaf: async () => {} };

type Listener = (body: string, answer: (body: string) => void) => void;

/** Delivers signals at once, while it is not away. */
function localBroker() {
  const state = { isAway: false, connections: 1 };
  const listeners = new Map<string, Listener[]>();
  const signal = (subject: string, body: string, reply?: string): void => {
    if (state.isAway) return;
    for (const listen of listeners.get(subject) ?? [])
      listen(body, (text) => reply !== undefined && signal(reply, text));
  };
  const broker = {
    signal,
    async listen(subject: string, listener: Listener): Promise<void> {
      listeners.set(subject, [...(listeners.get(subject) ?? []), listener]);
    },
    async reach() {
      if (state.isAway) throw new Error('the broker is away');
    },
    connections: () => state.connections,
    isConnected: () => !state.isAway,
  };
  return { broker: broker as unknown as Broker, state };
}

/** Guards of a process that has heard the broker for a while. */
async function start(t: TestContext) {
  const { broker, state } = localBroker();
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const guards = createGuards(broker);
  t.after(() => {
    guards.close();
    t.mock.timers.reset();
  });
  await sleep(1);
  const questions: string[] = [];
  const open = (work: string, confirm: () => void = () => {}, rights = 'all') =>
    guards.open({
      keys: ['user:usr_1'],
      work,
      carriesRights: true,
      rightsName: () => rights,
      async confirm(tenant) {
        questions.push(`${work} ${tenant}`);
        confirm();
      },
    });
  // The first question is about the connection.
  open('first').isInDoubt();
  t.mock.timers.tick(10_000);
  const enter = async (guard: ReturnType<typeof open>, tenant = 'tnt_1') => {
    let isOver = false;
    const entered = guard.enter(tenant).finally(() => (isOver = true));
    entered.catch(() => {});
    while (!isOver) {
      await sleep(10);
      t.mock.timers.tick(10);
    }
    return entered;
  };
  return { broker, state, questions, open, enter, revoke: createRevoker(broker, noHolders) };
}

test('a change commits without a question while nothing was revoked', async (t) => {
  const { open, enter, questions } = await start(t);
  (await enter(open('call')))();
  assert.deepEqual(questions, []);
});

test('a change asks for its right if a key of it, or its tenant, was revoked while it ran', async (t) => {
  for (const key of ['user:usr_1', 'tenant:tnt_1'] as const) {
    const { open, enter, questions, revoke } = await start(t);
    const guard = open('call');
    void revoke([key], 'another');
    await sleep(10);
    (await enter(guard))();
    assert.deepEqual(questions, ['call tnt_1'], key);
    t.mock.timers.reset();
  }
});

test('a change whose right has ended does not commit', async (t) => {
  const { open, enter, revoke } = await start(t);
  const guard = open('call', () => {
    throw new Error('ended');
  });
  void revoke(['user:usr_1']);
  await sleep(10);
  await assert.rejects(enter(guard), /ended/);
});

test('a call that arrives after a revocation asks, as its rights may be older', async (t) => {
  const { open, revoke } = await start(t);
  void revoke(['user:usr_1'], 'another');
  await sleep(10);
  const guard = open('call');
  assert.equal(guard.isInDoubt(), true);
  await guard.ask('');
  assert.equal(guard.isInDoubt(), false);
  t.mock.timers.tick(80_000);
  assert.equal(open('later').isInDoubt(), false, 'no caller token is older');
});

test('one answer holds for all calls with the same rights, until another revocation', async (t) => {
  const { open, enter, revoke, questions, state } = await start(t);
  const none = () => {};
  void revoke(['user:usr_1'], 'another');
  await sleep(10);
  const first = open('first', none);
  assert.equal(first.isInDoubt(), true);
  await first.ask('');
  assert.equal(open('second', none).isInDoubt(), true, 'other rights may have been answered');
  first.noteConfirmed();
  const second = open('second', none);
  assert.equal(second.isInDoubt(), false);
  (await enter(second))();
  assert.deepEqual(questions, ['first ']);
  assert.equal(open('third', none, 'more').isInDoubt(), true, 'rights that were not confirmed');

  const running = open('fourth', none);
  assert.equal(running.isInDoubt(), false);
  void revoke(['user:usr_1'], 'another');
  await sleep(10);
  assert.equal(running.isInDoubt(), true);
  (await enter(running))();
  assert.deepEqual(questions, ['first ', 'fourth tnt_1']);
  assert.equal(open('fifth', none).isInDoubt(), true, 'the answer is older than the revocation');

  const sixth = open('sixth', none);
  await sixth.ask('');
  sixth.noteConfirmed();
  state.connections++;
  assert.equal(open('seventh', none).isInDoubt(), true, 'a revocation may have passed unheard');
});

test('revocations without end let a change commit after one question, and wait for it', async (t) => {
  const { open, enter, questions, broker } = await start(t);
  let acknowledged = 0;
  await broker.listen('answers', () => void acknowledged++);
  const revoke = () => {
    const revoked = { id: 'one', keys: ['tenant:tnt_1'], cause: 'another' };
    broker.signal('bailiwick.revoke', JSON.stringify(revoked), 'answers');
  };
  // The lease begins with a first change.
  (await enter(open('earlier')))();
  revoke();
  const before = acknowledged;
  const leave = await enter(open('call', revoke));
  revoke();
  assert.deepEqual(questions, ['call tnt_1']);
  assert.equal(acknowledged, before);
  leave();
  await sleep(1);
  assert.equal(acknowledged, before + 2);
});

test('a change asks again if its question takes as long as a revocation waits for it', async (t) => {
  const { open, enter, questions, revoke } = await start(t);
  (await enter(open('earlier')))();
  const guard = open('call', () => {
    if (questions.length > 1) return;
    void revoke(['user:usr_1'], 'another');
    t.mock.timers.tick(1600);
  });
  void revoke(['user:usr_1'], 'another');
  await sleep(10);
  (await enter(guard))();
  assert.deepEqual(questions, ['call tnt_1', 'call tnt_1']);
});

test('what a call revokes itself does not stop it', async (t) => {
  const { open, enter, questions, revoke } = await start(t);
  const guard = open('call');
  void revoke(['user:usr_1'], 'call');
  await sleep(10);
  (await enter(guard))();
  assert.deepEqual(questions, []);
});

test('a process acknowledges a revocation once the commits that rest on it have ended', async (t) => {
  const { open, enter, broker } = await start(t);
  let acknowledged = 0;
  await broker.listen('answers', () => void acknowledged++);
  const revoked = { id: 'one', keys: ['user:usr_1'], cause: 'another' };
  const leave = await enter(open('call'));
  broker.signal('bailiwick.revoke', JSON.stringify(revoked), 'answers');
  await sleep(1);
  assert.equal(acknowledged, 0);
  broker.signal('bailiwick.revoke', JSON.stringify({ ...revoked, cause: 'call' }), 'answers');
  assert.equal(acknowledged, 1, 'its own commit is none of them');
  leave();
  await sleep(1);
  assert.equal(acknowledged, 2);
});

test('without a lease each change asks', async (t) => {
  const { open, enter, questions, state } = await start(t);
  state.isAway = true;
  (await enter(open('call')))();
  assert.deepEqual(questions, ['call tnt_1']);
});

test('a call that ran over a new connection to the broker asks', async (t) => {
  const { open, enter, questions, state } = await start(t);
  const guard = open('call');
  state.connections++;
  (await enter(guard))();
  assert.deepEqual(questions, ['call tnt_1']);
});
