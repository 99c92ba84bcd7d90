import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSlotPool, type Slots } from './slots.ts';

const createSlots = (lane: { total: number; room: number; isPatient?: boolean }) =>
  createSlotPool()(lane);

const at = (tenant: string, endpoint: string) => ({ tenant, endpoint });

/** Asks for `count` slots: how many ran at once, waited, and were sent away. */
async function ask(
  slots: Slots,
  count: number,
  whose: (index: number) => { tenant: string; endpoint: string },
) {
  const begun: number[] = [];
  const answers = Array.from({ length: count }, (_, index) => {
    const slot = slots.take(whose(index));
    void slot?.then((taken) => taken === 'run' && begun.push(index));
    return slot;
  });
  await Promise.resolve();
  const refused = answers.filter((slot) => slot === undefined).length;
  return { begun, refused, waiting: count - refused - begun.length };
}

test('an endpoint has four attempts at once and eight that wait; the rest is sent away', async () => {
  const slots = createSlots({ total: 64, room: 8 });
  const { begun, waiting, refused } = await ask(slots, 20, () => at('t', 'a'));
  assert.deepEqual([begun.length, waiting, refused], [4, 8, 8]);
});

test('whoever waits begins when its endpoint has a slot, in order', async () => {
  const slots = createSlots({ total: 64, room: 8 });
  const { begun } = await ask(slots, 6, () => at('t', 'a'));
  slots.free(at('t', 'a'));
  await Promise.resolve();
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
});

test('a tenant alone leaves a quarter free, and no more than a quarter is its right', async () => {
  const slots = createSlots({ total: 16, room: 8 });
  const flood = await ask(slots, 30, (index) => at('flood', `f${index}`));
  assert.equal(flood.begun.length, 12);
  const other = await ask(slots, 4, (index) => at('other', `o${index}`));
  assert.equal(other.begun.length, 4);
  // A slot that is given back goes to whoever has less than a quarter, although others have waited longer.
  const third = await ask(slots, 1, () => at('third', 'x'));
  assert.equal(third.waiting, 1);
  slots.free(at('flood', 'f0'));
  await Promise.resolve();
  assert.equal(third.begun.length, 1);
});

test('where they may wait long, a tenant has a quarter of a lane waiting, and hands are left for the others', async () => {
  const slots = createSlots({ total: 32, room: 4, isPatient: true });
  const flood = await ask(slots, 80, (index) => at('flood', `f${index % 10}`));
  assert.deepEqual([flood.begun.length, flood.waiting, flood.refused], [24, 8, 48]);
  // With as many hands again as there are slots, half of them are free for tenants that have a right to a slot.
  const other = await ask(slots, 8, (index) => at('other', `o${index}`));
  assert.equal(other.begun.length, 8);
  // However many tenants wait, they take no more hands than there are slots.
  const crowd = await ask(slots, 40, (index) => at(`crowd${index}`, `c${index}`));
  assert.deepEqual([crowd.waiting, crowd.refused], [24, 16]);
});

test('mails take whatever slot is free', async () => {
  const { begun, waiting } = await ask(createSlots({ total: 3, room: 8 }), 5, () => at('', ''));
  assert.deepEqual([begun.length, waiting], [3, 2]);
});

test('a process that stops sends away whoever waits', async () => {
  const slots = createSlots({ total: 1, room: 8 });
  assert.equal(await slots.take(at('t', 'a')), 'run');
  const waiting = slots.take(at('t', 'a'));
  slots.close();
  assert.equal(await waiting, 'stopped');
  assert.equal(await slots.take(at('t', 'b')), 'stopped');
});

test('whoever has waited as long as it may gets no slot, and leaves its place to others', async () => {
  const slots = createSlots({ total: 1, room: 8 });
  assert.equal(await slots.take(at('t', 'a')), 'run');
  assert.equal(await slots.take(at('t', 'b'), 5), 'late');
  slots.free(at('t', 'a'));
  assert.equal(await slots.take(at('t', 'c')), 'run');
});

test('an endpoint has four attempts at once in all lanes together', async () => {
  const laneOf = createSlotPool();
  const [quick, slow] = [laneOf({ total: 64, room: 8 }), laneOf({ total: 32, room: 8 })];
  await ask(quick, 3, () => at('t', 'a'));
  const others = await ask(slow, 3, () => at('t', 'a'));
  assert.equal(others.begun.length, 1);
  quick.free(at('t', 'a'));
  await Promise.resolve();
  assert.equal(others.begun.length, 2);
});
