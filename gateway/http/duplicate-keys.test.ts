import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countKeys, findDuplicateKey } from './duplicate-keys.ts';

test('a repeated key is found at any depth, however it is written', () => {
  const cases = {
    '{"a":1,"a":2}': 'a',
    '{"a":{"b":1},"c":{"b":1,"d":[{"e":1},{"e":1,"\\u0065" : 2}]}}': 'c.d[1].e',
    '{"__proto__":1,"__proto__":2}': '__proto__',
    '{"a":[[1,{"":1,"":2}]]}': 'a[0][1].',
    '{"a":"{\\"a\\":1,","b":1,"a":null}': 'a',
  };
  for (const [text, path] of Object.entries(cases))
    assert.equal(findDuplicateKey(text), path, text);
  for (const text of ['{"a":[{"a":1},{"a":1}],"A":1}', '{"a":":","b":"\\":"}', '{}', '[]'])
    assert.equal(findDuplicateKey(text), '', text);
});

test('countKeys counts the keys of all objects, those with a special name included', () => {
  const text = '{"__proto__":{"a":1},"b":[1,{"c":null},[{"d":{}}]],"":{}}';
  assert.equal(countKeys(JSON.parse(text) as object), 6);
});

test('a long text with a repeated key is searched without harm', () => {
  const long = `{"a":"${'\\\\x'.repeat(300_000)}","${'k'.repeat(400_000)}":1,"${'k'.repeat(400_000)}":2}`;
  assert.equal(findDuplicateKey(long).length, 200);
});
