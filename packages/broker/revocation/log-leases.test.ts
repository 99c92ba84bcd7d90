import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createLogLeases } from './log-leases.ts';
import type { Renewal, RenewalAnswer } from './logs.ts';
import { present } from './moment.ts';

const soon = () => new Promise((resolve) => setImmediate(resolve));

/** The leases of a holder, on clocks that the test sets, in logs that the test answers for. */
function start(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let [wall, monotonic] = [10_000_000, 500];
  t.mock.method(Date, 'now', () => wall);
  t.mock.method(performance, 'now', () => monotonic);
  const state = {
    isBrokerAway: false,
    renewals: [] as Renewal[],
    lost: [] as string[],
    revoked: [] as string[],
    answer: (): Partial<RenewalAnswer> | Promise<Partial<RenewalAnswer>> => ({}),
  };
  const follow = async (renewal: Renewal): Promise<RenewalAnswer> => {
    state.renewals.push(renewal);
    const snapshot = `after ${state.renewals.length}`;
    return {
      keys: [],
      snapshot,
      reset: false,
      deaf: false,
      complete: false,
      ...(await state.answer()),
    };
  };
  const leases = createLogLeases({
    broker: {
      async reach() {
        if (state.isBrokerAway) throw new Error('the broker is away');
      },
    },
    holder: 'holder',
    logs: { identity: follow },
    incompleteMs: 2000,
    onRevoked: (keys) => state.revoked.push(...keys),
    onLost: (service) => state.lost.push(service),
  });
  leases.allow();
  t.after(() => leases.end());
  /** Lets time pass on both clocks. */
  const pass = async (ms: number): Promise<void> => {
    wall += ms;
    monotonic += ms;
    t.mock.timers.tick(ms);
    await soon();
  };
  const use = async (): Promise<void> => {
    leases.use(['identity'], present());
    await soon();
  };
  return {
    state,
    leases,
    pass,
    use,
    holds: () => leases.hold(['identity'], present()),
    setWall: (ms: number) => void (wall += ms),
    setMonotonic: (ms: number) => void (monotonic += ms),
  };
}

test('a lease begins with a use, and is renewed once a second with the last snapshot', async (t) => {
  const { state, pass, use, holds } = start(t);
  assert.equal(holds(), false);
  await use();
  assert.equal(holds(), true);
  await pass(1000);
  await pass(1000);
  assert.deepEqual(
    state.renewals.map(({ after }) => after),
    ['', 'after 1', 'after 2'],
  );
  assert.deepEqual(state.lost, ['identity'], 'only as it began');
});

test('a lease lapses ten seconds after its last use, and nothing is renewed then', async (t) => {
  const { state, pass, use, holds } = start(t);
  await use();
  for (let second = 0; second < 9; second++) await pass(1000);
  assert.equal(holds(), true);
  for (let second = 0; second < 5; second++) await pass(1000);
  assert.equal(holds(), false);
  const count = state.renewals.length;
  for (let second = 0; second < 60; second++) await pass(1000);
  assert.equal(state.renewals.length, count);
  await use();
  assert.equal(holds(), true);
});

test('a renewal ends the values under its keys, and no others', async (t) => {
  const { state, pass, use } = start(t);
  await use();
  state.answer = () => ({ keys: ['user:usr_1'] });
  await pass(1000);
  assert.deepEqual([state.revoked, state.lost], [['user:usr_1'], ['identity']]);
});

test('an answer after the end of the lease begins another, from when it was sent', async (t) => {
  const { state, leases, pass, use, holds } = start(t);
  await use();
  let respond = (): void => {};
  state.answer = () =>
    new Promise((resolve) => (respond = () => resolve({ keys: ['user:usr_1'] })));
  await pass(1000);
  await pass(900);
  assert.equal(holds(), true);
  await pass(200);
  assert.equal(holds(), false, 'two seconds after the last renewal was sent');
  const loadBegan = present();
  await pass(1);
  respond();
  await soon();
  assert.deepEqual([state.revoked, state.lost], [[], ['identity', 'identity']]);
  assert.equal(holds(), true);
  assert.equal(leases.hadBegun(['identity'], loadBegan), false);
  assert.equal(leases.hadBegun(['identity'], present()), true);
  state.answer = () => new Promise(() => {});
  await pass(898);
  assert.equal(holds(), true);
  await pass(1);
  assert.equal(holds(), false);
});

test('a reset begins another lease', async (t) => {
  const { state, leases, pass, use, holds } = start(t);
  await use();
  const loadBegan = present();
  state.answer = () => ({ reset: true });
  await pass(1000);
  assert.deepEqual([holds(), state.lost.length], [true, 2]);
  assert.equal(leases.hadBegun(['identity'], loadBegan), false);
});

test('a lost answer is asked for again', async (t) => {
  const { state, pass, use } = start(t);
  await use();
  state.answer = () => Promise.reject(new Error('lost'));
  await pass(1000);
  state.answer = () => ({});
  await pass(900);
  await pass(100);
  assert.deepEqual(
    state.renewals.map(({ after }) => after),
    ['', 'after 1', 'after 1'],
  );
});

test('each of the two clocks ends a lease', async (t) => {
  const { use, holds, setWall, setMonotonic, pass } = start(t);
  await use();
  setWall(2000);
  assert.equal(holds(), false, 'the machine slept, or its clock was set forward');
  await pass(1000);
  assert.equal(holds(), true);
  setMonotonic(2000);
  assert.equal(holds(), false);
});

test('a clock that is set back makes no lease longer', async (t) => {
  const { use, holds, setMonotonic, setWall } = start(t);
  await use();
  setWall(-3_600_000);
  assert.equal(holds(), true);
  setMonotonic(1999);
  assert.equal(holds(), true);
  setMonotonic(1);
  assert.equal(holds(), false);
});

test('a deaf holder has no lease until it is told otherwise', async (t) => {
  const { state, pass, use, holds } = start(t);
  await use();
  state.answer = () => ({ deaf: true });
  await pass(1000);
  assert.deepEqual([holds(), state.lost.length], [false, 2]);
  state.answer = () => ({});
  await pass(1000);
  assert.equal(holds(), true);
});

test('a holder whose broker or service does not respond renews nothing', async (t) => {
  const { state, pass, use, holds } = start(t);
  state.isBrokerAway = true;
  await use();
  await pass(1000);
  assert.deepEqual([holds(), state.renewals.length], [false, 0]);
  state.isBrokerAway = false;
  state.answer = () => Promise.reject(new Error('unimplemented'));
  await pass(1000);
  assert.deepEqual([holds(), state.renewals.length], [false, 1]);
});

test('there is no lease in a log that the holder cannot follow', (t) => {
  const { leases } = start(t);
  leases.use(['sso'], present());
  assert.equal(leases.hold(['sso'], present()), false);
  assert.equal(leases.hadBegun(['sso'], present()), false);
});
