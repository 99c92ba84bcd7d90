import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Origin, serviceOrigin } from '@bailiwick/contract';
import { invalid, ServiceError, unavailable } from '@bailiwick/errors';
import { createTransactionTurns, createTurns } from './turns.ts';

const limits = { total: 4, perKey: 2, waiting: 3 };
const wait = {
  get until() {
    return performance.now() + 60_000;
  },
  isClient: true,
};

/** Work that runs until `end` or until the end of the test, and a record of started work. */
function createWork(t: TestContext) {
  const started: string[] = [];
  const ends: Array<() => void> = [];
  t.after(async () => {
    while (ends.length > 0) {
      ends.shift()?.();
      await immediate();
    }
  });
  return {
    started,
    work: (name: string) => () => {
      started.push(name);
      return new Promise<string>((resolve) => ends.push(() => resolve(name)));
    },
    /** Ends the longest-running work. */
    async end(): Promise<void> {
      ends.shift()?.();
      await immediate();
    },
  };
}

const immediate = () => new Promise((resolve) => setImmediate(resolve));
const codeOf = (work: Promise<unknown>) =>
  work
    .then(() => 'ok')
    .catch((error: unknown) => (error instanceof ServiceError ? error.code : String(error)));

test('a key runs work up to its limit, and the next when one ends', async (t) => {
  const turns = createTurns(limits);
  const { started, work, end } = createWork(t);
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => turns.run('a', work(name), wait));
  await immediate();
  assert.deepEqual(started, ['a1', 'a2']);
  await end();
  assert.deepEqual(started, ['a1', 'a2', 'a3']);
  for (let count = 0; count < 3; count++) await end();
  assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'a4']);
});

test('work beyond the queue limit is rejected with resource_exhausted and Retry-After, and other keys are not affected', async (t) => {
  const turns = createTurns(limits);
  const { started, work, end } = createWork(t);
  for (let count = 0; count < 5; count++) void turns.run('a', work('a'), wait);
  const refused = await turns.run('a', work('refused'), wait).catch((error: unknown) => error);
  assert.ok(refused instanceof ServiceError);
  assert.deepEqual([refused.code, refused.retryAfter], ['resource_exhausted', 1]);
  void turns.run('b', work('b'), wait);
  await immediate();
  assert.deepEqual(started, ['a', 'a', 'b']);
  await end();
  assert.equal(
    await Promise.race([codeOf(turns.run('a', work('a'), wait)), immediate()]),
    undefined,
    'a place in the queue is free again',
  );
});

test('keys with waiting work take turns, however long one of their queues is', async (t) => {
  const turns = createTurns({ ...limits, total: 2, waiting: 10 });
  const { started, work, end } = createWork(t);
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) void turns.run('a', work(name), wait);
  for (const name of ['b1', 'b2']) void turns.run('b', work(name), wait);
  await immediate();
  for (let count = 0; count < 4; count++) await end();
  assert.deepEqual(started.slice(0, 2), ['a1', 'a2']);
  assert.ok(
    started.slice(0, 6).includes('b1') && started.slice(0, 6).includes('b2'),
    started.join(),
  );
});

test('failed work releases its turn, and an idle key uses no memory', async () => {
  const turns = createTurns({ ...limits, perKey: 1 });
  for (let count = 0; count < 20; count++)
    assert.equal(
      await codeOf(turns.run('a', () => Promise.reject(new Error('failed')), wait)),
      'Error: failed',
    );
  assert.equal(await turns.run('a', () => Promise.resolve('works'), wait), 'works');
  assert.equal(turns.size(), 0);
});

test('a wait that times out leaves nothing in the queue', async (t) => {
  const turns = createTurns({ ...limits, total: 1, perKey: 1, waiting: 1 });
  const { started, work, end } = createWork(t);
  const first = turns.run('a', work('first'), wait);
  const soon = (isClient: boolean) => ({ until: performance.now() + 20, isClient });
  assert.equal(
    await codeOf(turns.run('a', work('late'), soon(true))),
    'unavailable',
    'no work has ended meanwhile',
  );
  assert.equal(await codeOf(turns.run('b', work('late'), soon(false))), 'unavailable');
  assert.equal(turns.size(), 1, 'the key whose only work timed out is removed');
  const next = turns.run('a', work('next'), wait);
  await end();
  assert.deepEqual(started, ['first', 'next']);
  await end();
  await Promise.all([first, next]);
  assert.equal(turns.size(), 0);
});

test('a client whose wait times out gets 429 if other work has ended meanwhile, and unavailable if the database did not respond', async () => {
  for (const [ends, code] of [
    [() => Promise.resolve(), 'resource_exhausted'],
    [() => Promise.reject(invalid('wrong')), 'resource_exhausted'],
    [() => Promise.reject(unavailable()), 'unavailable'],
  ] as const) {
    const turns = createTurns({ ...limits, perKey: 1 });
    const first = turns.run('a', () => sleep(10).then(ends), wait).catch(() => undefined);
    const { promise, resolve: endSecond } = Promise.withResolvers<void>();
    const second = turns.run('a', () => promise, wait);
    assert.equal(
      await codeOf(
        turns.run('a', () => sleep(0), { until: performance.now() + 50, isClient: true }),
      ),
      code,
    );
    endSecond();
    await Promise.all([first, second]);
  }
});

test('a client whose time was used up by earlier turns gets 429, unless the database did not respond meanwhile', async () => {
  const turns = createTurns({ ...limits, perKey: 1 });
  const since = performance.now();
  const late = () => ({ until: performance.now(), isClient: true, since });
  const { promise, resolve: endFirst } = Promise.withResolvers<void>();
  const first = turns.run('a', () => promise, wait);
  assert.equal(await codeOf(turns.run('a', () => sleep(0), late())), 'unavailable');
  await turns.run('b', () => sleep(0), wait);
  assert.equal(await codeOf(turns.run('a', () => sleep(0), late())), 'resource_exhausted');
  endFirst();
  await first;
});

const byService = serviceOrigin('test');
/** The origin of a client's call. */
const by = (caller: string, more: { waitsUntil?: number } = {}): Origin => ({
  ...byService,
  client: { caller, ...more },
});

test('at most 100 client calls run or wait for one tenant, for any number of rows', async (t) => {
  const { transaction: turn } = createTransactionTurns(10);
  const { work } = createWork(t);
  for (let count = 0; count < 100; count++)
    void turn(
      { call: by(`usr_${count}`), tenant: 'tnt_1', row: `group ${count % 10}` },
      work('tenant'),
    );
  assert.equal(
    await codeOf(turn({ call: by('usr_late'), tenant: 'tnt_1', row: 'group 10' }, work('tenant'))),
    'resource_exhausted',
  );
  assert.equal(
    await codeOf(turn({ call: by('usr_late'), tenant: 'tnt_2' }, () => Promise.resolve('works'))),
    'ok',
  );
});

test('one caller cannot fill a row or a tenant, and is the only one rejected', async (t) => {
  const { transaction: turn } = createTransactionTurns(10);
  const { started, work, end } = createWork(t);
  const row = { tenant: 'tnt_1', row: 'tenant tnt_1' };
  const flood = Array.from({ length: 121 }, () =>
    codeOf(turn({ call: by('usr_flood'), ...row }, work('flood'))),
  );
  const admin = turn({ call: by('usr_admin'), ...row }, work('admin'));
  assert.equal(await flood.at(-1), 'resource_exhausted');
  for (let count = 0; count < 20; count++) await end();
  assert.equal(
    started.indexOf('admin'),
    20,
    'only 20 calls of the flood run before the other caller',
  );
  await end();
  assert.equal(await admin, 'admin');
});

test('a change takes the turn of its caller once, and all its waits share one deadline', async (t) => {
  const { transaction: turn, row } = createTransactionTurns(10);
  const { work } = createWork(t);
  const save = (index: number) =>
    row({ call: by('usr_1'), row: `save ${index}` }, (call) =>
      turn({ call, tenant: 'tnt_1', row: `row ${index}` }, () => Promise.resolve('saved')),
    );
  const saved = await Promise.all(Array.from({ length: 60 }, (_, index) => save(index)));
  assert.equal(saved.length, 60);
  void turn({ call: byService, tenant: 'tnt_1', row: 'busy' }, work('busy'));
  const late = by('usr_1', { waitsUntil: performance.now() + 20 });
  assert.equal(
    await codeOf(turn({ call: late, tenant: 'tnt_1', row: 'busy' }, work('late'))),
    'resource_exhausted',
  );
});

test('background work and calls of services wait and are never rejected', async (t) => {
  const { transaction: turn } = createTransactionTurns(10);
  const { started, work, end } = createWork(t);
  const clients = Array.from({ length: 60 }, (_, index) =>
    codeOf(turn({ call: by(`usr_${index}`), tenant: 'tnt_1', row: 'user usr_1' }, work('client'))),
  );
  assert.equal(await clients.at(-1), 'resource_exhausted');
  const services = Array.from({ length: 150 }, (_, index) =>
    turn(
      { call: byService, tenant: 'tnt_1', ...(index % 2 ? { row: 'user usr_1' } : {}) },
      work('service'),
    ),
  );
  for (let count = 0; count < 51 + 150; count++) await end();
  assert.equal((await Promise.all(services)).length, 150);
  assert.equal(started.filter((name) => name === 'client').length, 51);
});

test('transactions run one by one for a row, on half of the connections for a tenant, and without a limit for no tenant', async (t) => {
  const { transaction: turn } = createTransactionTurns(10);
  const { started, work } = createWork(t);
  for (let count = 0; count < 3; count++)
    void turn({ call: byService, tenant: 'tnt_1', row: 'group eng' }, work('row'));
  await immediate();
  for (let count = 0; count < 6; count++)
    void turn({ call: byService, tenant: 'tnt_1' }, work('tenant'));
  await immediate();
  assert.deepEqual([...started].sort(), ['row', 'tenant', 'tenant', 'tenant', 'tenant']);
  for (let count = 0; count < 5; count++)
    void turn({ call: byService, tenant: `tnt_other${count}` }, work('other'));
  for (let count = 0; count < 5; count++)
    void turn({ call: byService, tenant: null }, work('background'));
  await immediate();
  assert.equal(
    started.filter((name) => name === 'other').length,
    3,
    'two connections are left for plain statements',
  );
  assert.equal(started.filter((name) => name === 'background').length, 5);
});
