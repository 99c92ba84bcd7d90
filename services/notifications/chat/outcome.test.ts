import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomeOfChatAnswer } from './outcome.ts';

const now = new Date('2026-01-01T00:00:00Z');
const judge = (statusCode: number, headers: Record<string, string> = {}, text = '') =>
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
  test(`Chat_Deliver takes the answer ${code} for ${status}`, () => {
    const outcome = judge(code);
    assert.deepEqual([outcome.status, outcome.error, outcome.statusCode], [status, error, code]);
    assert.equal(outcome.retryAfterMs, undefined);
  });
}

test('Chat_Deliver heeds Retry-After, also in fractions of a second', () => {
  assert.equal(judge(429, { 'retry-after': '30' }).retryAfterMs, 30_000);
  assert.equal(judge(429, { 'retry-after': '0.65' }).retryAfterMs, 650);
  assert.equal(judge(503, { 'retry-after': '30' }).retryAfterMs, 30_000);
  assert.equal(judge(500, { 'retry-after': '30' }).retryAfterMs, undefined);
});

test("Chat_Deliver heeds Discord's own limits, whose Retry-After is in other units in some versions", () => {
  assert.equal(
    judge(429, { 'retry-after': '1340', 'x-ratelimit-reset-after': '1.34' }).retryAfterMs,
    1340,
  );
  assert.equal(
    judge(429, {}, '{"message":"You are being rate limited.","retry_after":64.57,"global":false}')
      .retryAfterMs,
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
    assert.equal(judge(429, {}, text).retryAfterMs, undefined, text);
  }
});

test('Chat_Deliver tells of a limit that the message just used up', () => {
  assert.deepEqual(judge(204, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '0.4' }), {
    status: 'delivered',
    statusCode: 204,
    error: '',
    message: '',
    retryAfterMs: 400,
  });
  assert.equal(
    judge(204, { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset-after': '0.4' }).retryAfterMs,
    undefined,
  );
  assert.equal(judge(204, { 'x-ratelimit-remaining': '0' }).retryAfterMs, undefined);
});
