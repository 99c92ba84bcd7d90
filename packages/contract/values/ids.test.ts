import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createId, idFromHash, isId, timeOfId } from './ids.ts';

test('createId makes well-formed identifiers that ascend strictly, also within a millisecond', () => {
  const ids = Array.from({ length: 20_000 }, () => createId('usr'));
  for (const id of ids) assert.ok(isId('usr', id), id);
  assert.deepEqual(ids, Array.from(new Set(ids)).sort());
});

test('createId encodes the time of creation', () => {
  const before = Date.now();
  const id = createId('tnt');
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
  const bits = id
    .slice(4)
    .split('')
    .map((character) => alphabet.indexOf(character).toString(2).padStart(5, '0'))
    .join('')
    .slice(2);
  const millis = Number.parseInt(bits.slice(0, 48), 2);
  assert.ok(millis >= before && millis <= Date.now() + 10, String(millis));
  assert.equal(bits.slice(48, 52), '0111');
});

test('isId refuses other prefixes, lengths and letters', () => {
  const id = createId('grp');
  assert.equal(isId('usr', id), false);
  assert.equal(isId('grp', `${id}0`), false);
  assert.equal(isId('grp', id.toUpperCase()), false);
  assert.equal(isId('grp', 'grp_8zzzzzzzzzzzzzzzzzzzzzzzzz'), false);
});

test('idFromHash is the same for the same hash', () => {
  const hash = new Uint8Array(32).fill(7);
  assert.equal(idFromHash('evt', hash), idFromHash('evt', hash));
});

test('timeOfId returns when an identifier was made', () => {
  const before = Date.now();
  const made = timeOfId(createId('evt')).getTime();
  assert.ok(made >= before && made <= Date.now() + 10, String(made));
  assert.equal(timeOfId('evt_01hzzzzzzzzzzzzzzzzzzzzzzz').getUTCFullYear(), 2024);
});
