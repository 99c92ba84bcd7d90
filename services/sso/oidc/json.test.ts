import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { jsonProblem, parseObject } from './json.ts';

test('what a provider claims is taken as it is where it can be stored', () => {
  for (const value of [
    '',
    'Zoë 🦉',
    7,
    null,
    true,
    [],
    ['a', ['b']],
    { a: { b: [{ c: 1 }] }, hasOwnProperty: 1 },
  ])
    assert.equal(jsonProblem(value), undefined);
});

test('names that reach into objects are refused wherever they are', () => {
  for (const name of ['__proto__', 'constructor', 'prototype']) {
    assert.equal(
      jsonProblem(JSON.parse(`{"a":[{"${name}":{}}]}`)),
      'holds a name that is not allowed',
    );
  }
});

test('texts that the database or the wire cannot carry are refused', () => {
  for (const text of ['a\0', '\ud800', 'a\udc00b'])
    assert.equal(jsonProblem({ a: [text] }), 'holds a text that cannot be stored');
});

test('nesting has an end, however much of it there is', () => {
  const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;
  assert.equal(jsonProblem(nested(16)), undefined);
  assert.equal(jsonProblem(nested(17)), 'is nested too deeply');
  assert.equal(
    jsonProblem(parseObject(Buffer.from(`{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`))),
    'is nested too deeply',
  );
});

test('a body is an object of JSON in UTF-8 or nothing', () => {
  assert.deepEqual(parseObject(Buffer.from('{"a":1}')), { a: 1 });
  for (const body of ['', '[]', 'null', '"a"', '{"a":1', '<html>'])
    assert.equal(parseObject(Buffer.from(body)), undefined, body);
  assert.equal(parseObject(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), undefined);
});
