import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSlotPool, type Slots } from './slots.ts';

const createSlots = (lane: { total: number; places: number }) => createSlotPool().lane(lane);

const at = (tenant: string, endpoint: string) => ({ tenant, endpoint });

/**
 * Asks for `count` slots. Returns the indexes that ran at once, and how many were rejected or wait.
 */
async function ask(
  slots: Slots,
  count: number,
  owner: (index: number) => { tenant: string; endpoint: string },
) {
  const running: number[] = [];
  const answers = Array.from({ length: count }, (_, index) => {
    const slot = slots.take(owner(index));
    void slot?.then((outcome) => outcome === 'run' && running.push(index));
    return slot;
  });
  await Promise.resolve();
  const rejected = answers.filter((slot) => slot === undefined).length;
  return { running, rejected, waiting: count - rejected - running.length };
}

test('an endpoint about which nothing is known runs four attempts at once, and uses half of the places', async () => {
  const slots = createSlots({ total: 64, places: 16 });
  const { running, waiting, rejected } = await ask(slots, 20, () => at('t', 'a'));
  assert.deepEqual([running.length, waiting, rejected], [4, 8, 8]);
});

test('an endpoint about which nothing is known uses at most 512 places, and a tenant with many endpoints two thirds of all', async () => {
  const slots = createSlots({ total: 64, places: 4096 });
  const one = await ask(slots, 1000, () => at('t', 'a'));
  assert.deepEqual([one.running.length, one.waiting], [4, 512]);
  const many = await ask(slots, 5000, (index) => at('t', `endpoint-${index % 100}`));
  assert.equal(one.waiting + many.waiting, 2731);
});

test('an endpoint that answers quickly uses 64 places for each of its slots', async () => {
  const pool = createSlotPool();
  const slots = pool.lane({ total: 64, places: 8192 });
  await ask(slots, 200, () => at('t', 'a'));
  for (let index = 0; index < 100; index++) {
    pool.record('a', 10, true);
    slots.free(at('t', 'a'));
  }
  const { waiting } = await ask(slots, 4000, () => at('t', 'a'));
  assert.equal(waiting + 200 - 100 - 32, 2048);
});

test('waiting attempts begin in order when their endpoint has a free slot', async () => {
  const slots = createSlots({ total: 64, places: 16 });
  const { running } = await ask(slots, 6, () => at('t', 'a'));
  slots.free(at('t', 'a'));
  await Promise.resolve();
  assert.deepEqual(running, [0, 1, 2, 3, 4]);
});

test('an endpoint that answers quickly gets half of a lane, and one slot after timeouts', async () => {
  const pool = createSlotPool();
  const slots = pool.lane({ total: 64, places: 1024 });
  const { running } = await ask(slots, 500, () => at('t', 'a'));
  const end = async (count: number, tookMs: number, isDelivered: boolean) => {
    for (let index = 0; index < count; index++) {
      pool.record('a', tookMs, isDelivered);
      slots.free(at('t', 'a'));
    }
    await Promise.resolve();
  };
  await end(100, 10, true);
  assert.equal(running.length - 100, 32);
  await end(31, 15_000, false);
  assert.equal(running.length - 131, 1);
  await end(1, 10, true);
  assert.equal(running.length - 132, 2, 'it grows again');
});

test('an endpoint with few deliveries keeps four slots for the time when it hangs', async () => {
  const pool = createSlotPool();
  const slots = pool.lane({ total: 64, places: 64 });
  for (let index = 0; index < 100; index++) {
    assert.equal(await slots.take(at('t', 'a')), 'run');
    pool.record('a', 10, true);
    slots.free(at('t', 'a'));
  }
  const { running } = await ask(slots, 20, () => at('t', 'a'));
  assert.equal(running.length, 4);
});

test('a tenant leaves a quarter of the slots free, and is only guaranteed a quarter', async () => {
  const slots = createSlots({ total: 16, places: 64 });
  const flood = await ask(slots, 30, (index) => at('flood', `f${index}`));
  assert.equal(flood.running.length, 12);
  const other = await ask(slots, 4, (index) => at('other', `o${index}`));
  assert.equal(other.running.length, 4);
  // A freed slot goes to a tenant below its quarter, even if others have waited longer.
  const third = await ask(slots, 1, () => at('third', 'x'));
  assert.equal(third.waiting, 1);
  slots.free(at('flood', 'f0'));
  await Promise.resolve();
  assert.equal(third.running.length, 1);
});

test('sixteen receivers of a tenant that never answer leave slots for its other endpoints', async () => {
  const slots = createSlots({ total: 64, places: 4096 });
  const hostile = await ask(slots, 16 * 8, (index) => at('t', `hostile-${index % 16}`));
  assert.equal(hostile.running.length, 32);
  const healthy = await ask(slots, 15, (index) => at('t', `healthy-${index}`));
  assert.equal(healthy.running.length, 15);
  const first = await ask(slots, 1, () => at('t', 'one-more'));
  assert.equal(first.running.length, 1);
  // The last quarter is for other tenants.
  const beyond = await ask(slots, 1, () => at('t', 'beyond'));
  assert.equal(beyond.waiting, 1);
});

test('waiting attempts begin in turns of the tenants, and of their endpoints', async () => {
  const slots = createSlots({ total: 1, places: 64 });
  assert.equal(await slots.take(at('first', 'x')), 'run');
  const owners = ['t/a', 't/a', 't/a', 't/b', 'u/c', 'u/c'].map((name) => {
    const [tenant = '', endpoint = ''] = name.split('/');
    return at(tenant, endpoint);
  });
  const order: string[] = [];
  for (const owner of owners)
    void slots.take(owner)?.then(() => (order.push(owner.endpoint), slots.free(owner)));
  slots.free(at('first', 'x'));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(order, ['a', 'c', 'b', 'c', 'a', 'a']);
});

test('however many tenants wait, a further one finds a place', async () => {
  const slots = createSlots({ total: 4, places: 256 });
  await ask(slots, 4, (index) => at(`running${index}`, `r${index}`));
  const flood = await ask(slots, 1000, (index) => at('flood', `f${index % 50}`));
  assert.deepEqual([flood.waiting, flood.rejected], [171, 829]);
  for (const tenant of ['second', 'third', 'fourth']) {
    const { waiting } = await ask(slots, 1000, () => at(tenant, tenant));
    assert.ok(waiting >= 8, `${tenant}: ${waiting}`);
  }
});

test('a large attempt takes several places', async () => {
  const slots = createSlots({ total: 1, places: 64 });
  await ask(slots, 1, () => at('t', 'a'));
  assert.equal(slots.take(at('t', 'a'), { bytes: 256 * 1024 }), undefined);
  assert.ok(slots.take(at('t', 'a'), { bytes: 64 * 1024 }));
});

test('mails take any free slot', async () => {
  const { running, waiting } = await ask(createSlots({ total: 3, places: 0 }), 5, () => at('', ''));
  assert.deepEqual([running.length, waiting], [3, 2]);
});

test('a stopping process rejects waiting attempts', async () => {
  const slots = createSlots({ total: 1, places: 8 });
  assert.equal(await slots.take(at('t', 'a')), 'run');
  const waiting = slots.take(at('t', 'a'));
  slots.close();
  assert.equal(await waiting, 'stopped');
  assert.equal(await slots.take(at('t', 'b')), 'stopped');
});

test('an attempt that waits too long gets no slot, and leaves its place in the queue', async () => {
  const slots = createSlots({ total: 1, places: 8 });
  assert.equal(await slots.take(at('t', 'a')), 'run');
  assert.equal(await slots.take(at('t', 'b'), { maxWaitMs: 5 }), 'late');
  slots.free(at('t', 'a'));
  assert.equal(await slots.take(at('t', 'c')), 'run');
});

test('an endpoint runs four attempts at once across all lanes', async () => {
  const pool = createSlotPool();
  const quick = pool.lane({ total: 64, places: 8 });
  const slow = pool.lane({ total: 32, places: 8 });
  await ask(quick, 3, () => at('t', 'a'));
  const others = await ask(slow, 3, () => at('t', 'a'));
  assert.equal(others.running.length, 1);
  quick.free(at('t', 'a'));
  await Promise.resolve();
  assert.equal(others.running.length, 2);
});

test('an endpoint that is busy in one lane still gets slots in a small one', async () => {
  const pool = createSlotPool();
  const quick = pool.lane({ total: 64, places: 1024 });
  const replay = pool.lane({ total: 8, places: 256 });
  await ask(quick, 200, () => at('t', 'a'));
  for (let index = 0; index < 30; index++) {
    pool.record('a', 10, true);
    quick.free(at('t', 'a'));
  }
  const { running } = await ask(replay, 10, () => at('t', 'a'));
  for (let index = 0; index < 10; index++) quick.free(at('t', 'a'));
  await Promise.resolve();
  assert.ok(running.length >= 4, `${running.length}`);
});

test('a receiver that is slow but always succeeds keeps four slots', async () => {
  const pool = createSlotPool();
  const slots = pool.lane({ total: 64, places: 1024 });
  for (let index = 0; index < 20; index++) {
    assert.equal(await slots.take(at('t', 'a')), 'run');
    pool.record('a', 3000, true);
    slots.free(at('t', 'a'));
  }
  const { running } = await ask(slots, 20, () => at('t', 'a'));
  assert.equal(running.length, 4);
});
