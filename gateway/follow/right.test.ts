import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Loaded, LoanTerms } from '@bailiwick/broker';
import { unauthenticated } from '@bailiwick/errors';
import type { FollowerHolder } from './holder.ts';
import { createRight } from './right.ts';
import type { Scope } from './scope.ts';

// The right of a follower, from hello to its end.

const soon = () => new Promise((resolve) => setImmediate(resolve));

const scopeOf = (tenants?: readonly string[]): Scope => ({
  credentialId: 'bky_1',
  ownTenant: 'tnt_1',
  tenants,
  serves: (ip) => ip === '192.0.2.1',
  noteUse() {},
});

/** A right whose loads are the test's. */
function start(t: TestContext, { ip = '192.0.2.1', lastsMs = 60_000 } = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const answers: Array<Scope | Error> = [];
  const closed: number[] = [];
  let loads = 0;
  const right = createRight({
    rightsCache: {
      leaseLeftMs: () => 1000,
      async lend<T, R>(
        _name: string,
        load: () => Promise<Loaded<T>>,
        register: (value: T, terms: LoanTerms) => R,
      ) {
        return register((await load()).value, { keys: [], lastsMs });
      },
    },
    async loadScope() {
      loads += 1;
      const answer = answers.shift() ?? scopeOf(['tnt_1']);
      if (answer instanceof Error) throw answer;
      return { value: answer, keys: [], lastsMs };
    },
    holder: {
      isEnding: () => closed.length > 0,
      setRight() {},
      end: async (code: number) => closed.push(code),
    } as unknown as FollowerHolder,
    ip,
    log: { warn() {}, info() {}, error() {} },
  });
  t.after(right.stop);
  const hello = () => right.open({ credential: 'bwkb_x', tenants: undefined });
  return { right, answers, closed, hello, loads: () => loads };
}

test('a right is confirmed once, and with the next question after a lapse', async (t) => {
  const { right, hello, loads } = start(t);
  await hello();
  await right.current();
  assert.equal(loads(), 1);
  right.lapse();
  await Promise.all([right.current(), right.current()]);
  assert.equal(loads(), 2);
});

test('a right that has ended during a lapse closes the connection', async (t) => {
  const { right, answers, closed, hello } = start(t);
  await hello();
  answers.push(unauthenticated());
  right.lapse();
  await assert.rejects(right.current());
  assert.deepEqual(closed, [4401]);
});

test('a right is confirmed when its time ends', async (t) => {
  const { closed, answers, hello, loads } = start(t, { lastsMs: 5000 });
  await hello();
  answers.push(unauthenticated());
  t.mock.timers.tick(5000);
  await soon();
  assert.deepEqual([loads(), closed], [2, [4401]]);
});

test('a right to follow other tenants than before closes the connection', async (t) => {
  const { right, answers, closed, hello } = start(t);
  answers.push(scopeOf(), scopeOf(['tnt_1']));
  await hello();
  right.lapse();
  await assert.rejects(right.current());
  assert.deepEqual(closed, [4403]);
});

test('a credential from another address is refused', async (t) => {
  const { closed, hello } = start(t, { ip: '198.51.100.1' });
  await assert.rejects(hello());
  assert.deepEqual(closed, [4403]);
});
