import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { createScan } from './json-body.ts';

/** Feeds a text to the check in pieces of 1000 and of 7 bytes. */
const check = (text: string) => () => {
  const bytes = Buffer.from(text);
  for (const size of [1000, 7]) {
    const { feed } = createScan();
    for (let at = 0; at < bytes.length; at += size) feed(bytes.subarray(at, at + size));
  }
};

test('a body is rejected for its depth or its number of values before it is parsed', () => {
  const nested = (depth: number, open: string, close: string) =>
    `${open.repeat(depth)}1${close.repeat(depth)}`;
  for (const [open, close] of [
    ['{"a":', '}'],
    ['[', ']'],
  ] as const) {
    assert.doesNotThrow(check(nested(32, open, close)));
    assert.throws(check(nested(33, open, close)), /nested at most 32 levels deep/);
    assert.throws(check(open.repeat(400_000)), /nested at most 32 levels deep/);
  }
  const list = (count: number) => JSON.stringify(Array.from({ length: count }, () => 1));
  assert.doesNotThrow(check(list(19_000)));
  assert.throws(check(list(20_001)), /at most 20000 values/);
  assert.throws(
    check(
      JSON.stringify(
        Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`Key${index}`, 1])),
      ),
    ),
    /at most 20000 values/,
  );
});

test('brackets and commas inside strings do not count as values', () => {
  assert.doesNotThrow(
    check(JSON.stringify({ a: '[{,'.repeat(100_000), [`"\\${'['.repeat(100)}`]: '\\"[[' })),
  );
  assert.doesNotThrow(check('{"a":"[[['));
  assert.doesNotThrow(check('{"a":"\\'));
});
