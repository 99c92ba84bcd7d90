import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomeOfLogoutAnswer } from './logout-outcome.ts';

test('an app ends the attempts with 200, 202, 204, 400 or 410, and all other answers are retried', () => {
  const statusOf = (statusCode: number) =>
    outcomeOfLogoutAnswer({ statusCode, headers: {}, text: '' }, new Date()).status;
  for (const code of [200, 202, 204]) assert.equal(statusOf(code), 'delivered', String(code));
  for (const code of [400, 410]) assert.equal(statusOf(code), 'failed', String(code));
  for (const code of [201, 203, 206, 302, 401, 404, 429, 500, 501, 503])
    assert.equal(statusOf(code), 'retry', String(code));
});
