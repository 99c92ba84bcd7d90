import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasOwnName, readsLike } from './brand-name.ts';

test('a tenant without a name, or with one that reads like the platform’s, has none of its own', () => {
  for (const name of [
    '',
    ' ',
    '\u200b',
    'Example ID',
    'example id',
    ' EXAMPLE  ID ',
    'Exam\u200bpleID',
  ])
    assert.equal(hasOwnName(name, 'Example ID'), false, JSON.stringify(name));
  for (const name of ['Acme', 'Example', 'Example ID 2'])
    assert.equal(hasOwnName(name, 'Example ID'), true, name);
  assert.equal(hasOwnName('Acme', ''), true);
  assert.equal(hasOwnName('', ''), false);
});

test('a name reads like another whatever its case, width, spaces and invisible characters', () => {
  const reserved = ['Bailiwick', 'Example ID'];
  for (const name of [
    'BAILIWICK',
    ' Bai li wick ',
    'Ｂａｉｌｉｗｉｃｋ',
    'Baili\u200bwick',
    'Baili\u034fwick\ufe0f',
    'example\u00a0id',
  ])
    assert.ok(readsLike(name, reserved), JSON.stringify(name));
  for (const name of ['', '\u200b', 'Bailiwick of Jersey', 'Example'])
    assert.ok(!readsLike(name, [...reserved, '']), JSON.stringify(name));
});
