import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomeOfChatAnswer } from './delivery-outcome.ts';

const now = new Date('2026-01-01T00:00:00Z');
const outcomeOf = (statusCode: number, headers: Record<string, string> = {}, text = '') =>
  outcomeOfChatAnswer({ statusCode, headers, text }, now);

const answers: ReadonlyArray<readonly [number, string, string]> = [
  [200, 'delivered', ''],
  [202, 'delivered', ''],
  [204, 'delivered', ''],
  [301, 'failed', 'redirect'],
  [308, 'failed', 'redirect'],
  [400, 'failed', 'http_status'],
  [403, 'failed', 'http_status'],
  [404, 'failed', 'http_status'],
  [408, 'retry', 'http_status'],
  [410, 'failed', 'http_status'],
  [413, 'failed', 'http_status'],
  [425, 'retry', 'http_status'],
  [429, 'retry', 'rate_limited'],
  [500, 'retry', 'http_status'],
  [503, 'retry', 'http_status'],
];

for (const [code, status, error] of answers) {
  test(`status ${code} of a chat server means ${status}`, () => {
    const outcome = outcomeOf(code);
    assert.deepEqual([outcome.status, outcome.error, outcome.statusCode], [status, error, code]);
    assert.equal(outcome.retryAfterMs, undefined);
  });
}

test('Retry-After of a chat server counts, fractions of a second included', () => {
  assert.equal(outcomeOf(429, { 'retry-after': '30' }).retryAfterMs, 30_000);
  assert.equal(outcomeOf(429, { 'retry-after': '0.65' }).retryAfterMs, 650);
  assert.equal(outcomeOf(503, { 'retry-after': '30' }).retryAfterMs, 30_000);
  assert.equal(outcomeOf(500, { 'retry-after': '30' }).retryAfterMs, undefined);
});

test("Discord's rate limit headers count, whose Retry-After unit depends on the API version", () => {
  assert.equal(
    outcomeOf(429, { 'retry-after': '1340', 'x-ratelimit-reset-after': '1.34' }).retryAfterMs,
    1340,
  );
  assert.equal(
    outcomeOf(
      429,
      {},
      '{"message":"You are being rate limited.","retry_after":64.57,"global":false}',
    ).retryAfterMs,
    64_570,
  );
  for (const text of [
    '',
    'rate_limited',
    '[]',
    'null',
    '{"retry_after":"1"}',
    '{"retry_after":-1}',
    '{"retry_after":1e99}',
  ]) {
    assert.equal(outcomeOf(429, {}, text).retryAfterMs, undefined, text);
  }
});

test('the outcome reports a rate limit that the message has used up', () => {
  assert.deepEqual(
    outcomeOf(204, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '0.4' }),
    {
      status: 'delivered',
      statusCode: 204,
      error: '',
      message: '',
      retryAfterMs: 400,
    },
  );
  assert.equal(
    outcomeOf(204, { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset-after': '0.4' }).retryAfterMs,
    undefined,
  );
  assert.equal(outcomeOf(204, { 'x-ratelimit-remaining': '0' }).retryAfterMs, undefined);
});
