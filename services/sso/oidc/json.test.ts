import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { jsonProblem, parseObject } from './json.ts';

test('jsonProblem accepts every value that can be stored', () => {
  for (const json of [
    '',
    'Zoë 🦉',
    7,
    null,
    true,
    [],
    ['a', ['b']],
    { a: { b: [{ c: 1 }] }, hasOwnProperty: 1 },
  ])
    assert.equal(jsonProblem(json), undefined);
});

test('jsonProblem rejects prototype-polluting names at any depth', () => {
  for (const name of ['__proto__', 'constructor', 'prototype']) {
    assert.equal(
      jsonProblem(JSON.parse(`{"a":[{"${name}":{}}]}`)),
      'holds a name that is not allowed',
    );
  }
});

test('jsonProblem rejects texts that PostgreSQL or protobuf cannot represent', () => {
  for (const text of ['a\0', '\ud800', 'a\udc00b'])
    assert.equal(jsonProblem({ a: [text] }), 'holds a text that cannot be stored');
});

test('jsonProblem rejects JSON that is nested too deeply', () => {
  const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;
  assert.equal(jsonProblem(nested(16)), undefined);
  assert.equal(jsonProblem(nested(17)), 'is nested too deeply');
  assert.equal(
    jsonProblem(parseObject(Buffer.from(`{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`))),
    'is nested too deeply',
  );
});

test('parseObject returns a JSON object in UTF-8, or undefined', () => {
  assert.deepEqual(parseObject(Buffer.from('{"a":1}')), { a: 1 });
  for (const body of ['', '[]', 'null', '"a"', '{"a":1', '<html>'])
    assert.equal(parseObject(Buffer.from(body)), undefined, body);
  assert.equal(parseObject(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), undefined);
});
