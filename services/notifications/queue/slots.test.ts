import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSlotPool, type Slots } from './slots.ts';

const createSlots = (lane: { total: number; room: number; hasLongWaits?: boolean }) =>
  createSlotPool()(lane);

const at = (tenant: string, endpoint: string) => ({ tenant, endpoint });

/**
 * Asks for `count` slots. Returns the indexes that ran at once, and how many were rejected or wait.
 */
async function ask(
  slots: Slots,
  count: number,
  owner: (index: number) => { tenant: string; endpoint: string },
) {
  const begun: number[] = [];
  const answers = Array.from({ length: count }, (_, index) => {
    const slot = slots.take(owner(index));
    void slot?.then((taken) => taken === 'run' && begun.push(index));
    return slot;
  });
  await Promise.resolve();
  const rejected = answers.filter((slot) => slot === undefined).length;
  return { begun, rejected, waiting: count - rejected - begun.length };
}

test('an endpoint runs four attempts at once and queues eight; the rest is rejected', async () => {
  const slots = createSlots({ total: 64, room: 8 });
  const { begun, waiting, rejected } = await ask(slots, 20, () => at('t', 'a'));
  assert.deepEqual([begun.length, waiting, rejected], [4, 8, 8]);
});

test('waiting attempts begin in order when their endpoint has a free slot', async () => {
  const slots = createSlots({ total: 64, room: 8 });
  const { begun } = await ask(slots, 6, () => at('t', 'a'));
  slots.free(at('t', 'a'));
  await Promise.resolve();
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
});

test('a tenant leaves a quarter of the slots free, and is only guaranteed a quarter', async () => {
  const slots = createSlots({ total: 16, room: 8 });
  const flood = await ask(slots, 30, (index) => at('flood', `f${index}`));
  assert.equal(flood.begun.length, 12);
  const other = await ask(slots, 4, (index) => at('other', `o${index}`));
  assert.equal(other.begun.length, 4);
  // A freed slot goes to a tenant below its quarter, even if others have waited longer.
  const third = await ask(slots, 1, () => at('third', 'x'));
  assert.equal(third.waiting, 1);
  slots.free(at('flood', 'f0'));
  await Promise.resolve();
  assert.equal(third.begun.length, 1);
});

test('in a lane with long waits, a tenant queues at most a quarter of the lane, and others still get slots', async () => {
  const slots = createSlots({ total: 32, room: 4, hasLongWaits: true });
  const flood = await ask(slots, 80, (index) => at('flood', `f${index % 10}`));
  assert.deepEqual([flood.begun.length, flood.waiting, flood.rejected], [24, 8, 48]);
  // The lane holds twice as many attempts as it has slots: half of them stay free for tenants that
  // may take a slot.
  const other = await ask(slots, 8, (index) => at('other', `o${index}`));
  assert.equal(other.begun.length, 8);
  // However many tenants wait, at most as many attempts wait as there are slots.
  const crowd = await ask(slots, 40, (index) => at(`crowd${index}`, `c${index}`));
  assert.deepEqual([crowd.waiting, crowd.rejected], [24, 16]);
});

test('mails take any free slot', async () => {
  const { begun, waiting } = await ask(createSlots({ total: 3, room: 8 }), 5, () => at('', ''));
  assert.deepEqual([begun.length, waiting], [3, 2]);
});

test('a stopping process rejects waiting attempts', async () => {
  const slots = createSlots({ total: 1, room: 8 });
  assert.equal(await slots.take(at('t', 'a')), 'run');
  const waiting = slots.take(at('t', 'a'));
  slots.close();
  assert.equal(await waiting, 'stopped');
  assert.equal(await slots.take(at('t', 'b')), 'stopped');
});

test('an attempt that waits too long gets no slot, and leaves its place in the queue', async () => {
  const slots = createSlots({ total: 1, room: 8 });
  assert.equal(await slots.take(at('t', 'a')), 'run');
  assert.equal(await slots.take(at('t', 'b'), 5), 'late');
  slots.free(at('t', 'a'));
  assert.equal(await slots.take(at('t', 'c')), 'run');
});

test('an endpoint runs four attempts at once across all lanes', async () => {
  const laneOf = createSlotPool();
  const [quick, slow] = [laneOf({ total: 64, room: 8 }), laneOf({ total: 32, room: 8 })];
  await ask(quick, 3, () => at('t', 'a'));
  const others = await ask(slow, 3, () => at('t', 'a'));
  assert.equal(others.begun.length, 1);
  quick.free(at('t', 'a'));
  await Promise.resolve();
  assert.equal(others.begun.length, 2);
});
