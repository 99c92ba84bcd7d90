import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import {
  open,
  openForPurpose,
  parseKeyRing,
  seal,
  sealForPurpose,
  unwrapKey,
  wrapKey,
} from './seal.ts';

const key = randomBytes(32);
const context = ['tnt_1', 'whk_1', 'secret', 'dek_1'];
const ringOf = (...ids: string[]) =>
  ids.map((id) => `${id}:${randomBytes(32).toString('base64')}`).join('\n');

test('a sealed value opens with the same key and context only', () => {
  const sealed = seal(key, Buffer.from('whsec_abc'), context);
  assert.equal(open(key, sealed, context).toString(), 'whsec_abc');
  assert.throws(() => open(randomBytes(32), sealed, context));
  for (let index = 0; index < context.length; index++) {
    assert.throws(() => open(key, sealed, context.with(index, 'another')), `context ${index}`);
  }
  assert.throws(() => open(key, sealed, ['tnt_1whk_1', 'secret', 'dek_1']));
});

test('a single changed bit anywhere is detected', () => {
  const sealed = seal(key, Buffer.from('secret'), context);
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    assert.throws(() => open(key, changed, context), `byte ${index}`);
  }
});

test('a data key is unwrapped by the key that wrapped it, even after a newer key comes first in the ring', () => {
  const old = ringOf('k1');
  const ring = parseKeyRing(old);
  const { kek, wrapped } = wrapKey(ring, key, ['tnt_1']);
  assert.deepEqual(
    unwrapKey(parseKeyRing(`${ringOf('k2')}\n${old}`), kek, wrapped, ['tnt_1']),
    key,
  );
  assert.throws(() => unwrapKey(ring, kek, wrapped, ['tnt_2']));
  assert.throws(() => unwrapKey(parseKeyRing(ringOf('k3')), kek, wrapped, ['tnt_1']), /no key k1/);
});

test('a value sealed for one purpose does not open for another', () => {
  const ring = parseKeyRing(ringOf('k1'));
  const sealed = sealForPurpose(ring, 'task-token', 'bwkv_x', ['a@example.com']);
  assert.ok(!sealed.includes('bwkv_x'));
  assert.equal(openForPurpose(ring, 'task-token', sealed, ['a@example.com']), 'bwkv_x');
  assert.throws(() => openForPurpose(ring, 'cursor', sealed, ['a@example.com']));
  assert.throws(() => openForPurpose(ring, 'task-token', sealed, ['b@example.com']));
});

test('an invalid key ring is rejected', () => {
  for (const text of [
    '',
    'k1',
    'k1:short',
    `k1:${randomBytes(31).toString('base64')}`,
    `${ringOf('a')}\n${ringOf('a')}`,
    `bad id:${key.toString('base64')}`,
  ]) {
    assert.throws(() => parseKeyRing(text), text);
  }
});
