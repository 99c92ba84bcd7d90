import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revokersOf, revokersOfAll } from './logs.ts';

test('a key is revoked by the services that own its record, or rights about it', () => {
  assert.deepEqual(revokersOf('user:usr_1'), ['identity', 'access']);
  assert.deepEqual(revokersOf('bot:bot_1'), ['identity', 'access']);
  assert.deepEqual(revokersOf('tenant:tnt_1'), ['identity', 'access']);
  assert.deepEqual(revokersOf('credential:ses_1'), ['identity']);
  assert.deepEqual(revokersOf('credential:bky_1'), ['identity']);
  assert.deepEqual(revokersOf('credential:btr_1'), ['identity']);
  assert.deepEqual(revokersOf('credential:wpt_1'), ['notifications']);
  assert.deepEqual(revokersOf('credential:whk_1'), ['notifications']);
  assert.deepEqual(revokersOf('app:app_1'), ['sso']);
  assert.deepEqual(revokersOf('use:usr_1:app_1'), ['sso']);
});

test('a value depends on the services of all its keys, each once', () => {
  assert.deepEqual(revokersOfAll([]), []);
  assert.deepEqual(revokersOfAll(['credential:ses_1', 'user:usr_1', 'app:app_1']), [
    'identity',
    'access',
    'sso',
  ]);
});
