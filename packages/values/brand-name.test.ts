import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasOwnName } from './brand-name.ts';

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
