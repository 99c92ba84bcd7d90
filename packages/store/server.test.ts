import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertServer } from './server.ts';

test('PostgreSQL before 15 and a database that is not UTF8 are refused', () => {
  assertServer({ version: 150000, encoding: 'UTF8' });
  assertServer({ version: 190001, encoding: 'UTF8' });
  assert.throws(() => assertServer({ version: 140012, encoding: 'UTF8' }), {
    name: 'UnsuitableDatabase',
    message: 'the server is PostgreSQL 14, and 15 or newer is needed: upgrade it',
  });
  assert.throws(() => assertServer({ version: 180001, encoding: 'LATIN1' }), /LATIN1.*UTF8/);
});
