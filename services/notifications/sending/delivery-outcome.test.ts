import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestFailed } from '@bailiwick/egress';
import { outcomeOfAnswer, outcomeOfFailure } from './delivery-outcome.ts';

const now = new Date('2026-01-01T00:00:00Z');
const answer = (statusCode: number, retryAfter?: string) => ({
  statusCode,
  headers: { 'retry-after': retryAfter },
  text: '',
});
const answers: ReadonlyArray<readonly [number, string, string]> = [
  [200, 'delivered', ''],
  [204, 'delivered', ''],
  [301, 'retry', 'redirect'],
  [307, 'retry', 'redirect'],
  [400, 'retry', 'http_status'],
  [404, 'retry', 'http_status'],
  [408, 'retry', 'http_status'],
  [410, 'failed', 'http_status'],
  [425, 'retry', 'http_status'],
  [429, 'retry', 'rate_limited'],
  [500, 'retry', 'http_status'],
  [503, 'retry', 'http_status'],
];

for (const [code, status, error] of answers) {
  test(`status ${code} of a receiver means ${status}`, () => {
    const outcome = outcomeOfAnswer(answer(code), now);
    assert.deepEqual([outcome.status, outcome.error, outcome.statusCode], [status, error, code]);
  });
}

test('Retry-After counts with 429 and 503 only', () => {
  assert.equal(outcomeOfAnswer(answer(429, '90'), now).retryAfterMs, 90_000);
  assert.equal(outcomeOfAnswer(answer(429, '0.25'), now).retryAfterMs, 250);
  assert.equal(outcomeOfAnswer(answer(429, '   4  '), now).retryAfterMs, 4000);
  assert.equal(
    outcomeOfAnswer(answer(503, 'Thu, 01 Jan 2026 00:01:00 GMT'), now).retryAfterMs,
    60_000,
  );
  assert.equal(
    outcomeOfAnswer(answer(503, 'Wed, 31 Dec 2025 00:00:00 GMT'), now).retryAfterMs,
    undefined,
  );
  assert.equal(outcomeOfAnswer(answer(429, 'soon'), now).retryAfterMs, undefined);
  assert.equal(outcomeOfAnswer(answer(500, '90'), now).retryAfterMs, undefined);
});

test('at most 30 days of Retry-After count', () => {
  const longest = 30 * 24 * 3_600_000;
  for (const wait of ['9999999999', '9'.repeat(400), 'Thu, 01 Jan 2099 00:00:00 GMT'])
    assert.equal(outcomeOfAnswer(answer(503, wait), now).retryAfterMs, longest, wait);
});

test('a request without a response is retried, and names the error', () => {
  const outcome = outcomeOfFailure(
    new RequestFailed('dns_error', new Error('getaddrinfo ENOTFOUND db.internal')),
  );
  assert.deepEqual(outcome, {
    status: 'retry',
    statusCode: 0,
    error: 'dns_error',
    message: "the receiver's name does not resolve",
  });
});
