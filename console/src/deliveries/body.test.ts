import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { readBody } from './body.ts';

const encode = (text: string) => Buffer.from(text).toString('base64');

test('a body of JSON is indented, and other text stays', () => {
  assert.deepEqual(readBody(encode('{"a":"ø"}')), { text: '{\n  "a": "ø"\n}', isCut: false });
  assert.deepEqual(readBody(encode('<b>no</b>')), { text: '<b>no</b>', isCut: false });
  assert.deepEqual(readBody(''), { text: '', isCut: false });
});

test('a long body is cut', () => {
  const { text, isCut } = readBody(encode('x'.repeat(60_000)));
  assert.deepEqual([text.length, isCut], [50_000, true]);
});
