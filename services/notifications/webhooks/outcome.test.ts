import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomeOfAnswer, outcomeOfFailure } from './outcome.ts';

const now = new Date('2026-01-01T00:00:00Z');
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
  test(`Webhooks_Deliver takes the answer ${code} for ${status}`, () => {
    const outcome = outcomeOfAnswer(code, undefined, now);
    assert.deepEqual([outcome.status, outcome.error, outcome.statusCode], [status, error, code]);
  });
}

test('Webhooks_Deliver heeds Retry-After of 429 and 503 only', () => {
  assert.equal(outcomeOfAnswer(429, '90', now).retryAfterMs, 90_000);
  assert.equal(outcomeOfAnswer(503, 'Thu, 01 Jan 2026 00:01:00 GMT', now).retryAfterMs, 60_000);
  assert.equal(outcomeOfAnswer(503, 'Wed, 31 Dec 2025 00:00:00 GMT', now).retryAfterMs, undefined);
  assert.equal(outcomeOfAnswer(429, 'soon', now).retryAfterMs, undefined);
  assert.equal(outcomeOfAnswer(500, '90', now).retryAfterMs, undefined);
});

const coded = (code: string, cause?: unknown) => Object.assign(new Error('connect 10.1.2.3:443', { cause }), { code });
const failures: ReadonlyArray<readonly [string, unknown, string]> = [
  ['a time-out of ours', new DOMException('late', 'TimeoutError'), 'timeout'],
  ['a connect time-out', coded('UND_ERR_CONNECT_TIMEOUT'), 'timeout'],
  ['an unknown name', coded('ENOTFOUND'), 'dns_error'],
  ['a broken name server', coded('ESERVFAIL'), 'dns_error'],
  ['a refused connection', coded('ECONNREFUSED'), 'connection_refused'],
  ['several refused addresses', new AggregateError([coded('ECONNREFUSED')]), 'connection_refused'],
  ['a reset', coded('ECONNRESET'), 'connection_reset'],
  ['a closed socket', coded('UND_ERR_SOCKET'), 'connection_reset'],
  ['an untrusted certificate', coded('DEPTH_ZERO_SELF_SIGNED_CERT'), 'tls_error'],
  ['a certificate of another name', coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls_error'],
  ['plain http behind https', coded('ERR_SSL_WRONG_VERSION_NUMBER'), 'tls_error'],
  ['a blocked address', coded('BLOCKED_ADDRESS'), 'blocked_address'],
  ['a wrapped blocked address', coded('UND_ERR_SOCKET', coded('BLOCKED_ADDRESS')), 'blocked_address'],
  ['oversized headers', coded('UND_ERR_HEADERS_OVERFLOW'), 'response_too_large'],
];

for (const [what, thrown, error] of failures) {
  test(`Webhooks_Deliver calls ${what} ${error}, and names no address`, () => {
    const outcome = outcomeOfFailure(thrown, false);
    assert.deepEqual([outcome.status, outcome.error, outcome.statusCode], ['retry', error, 0]);
    assert.doesNotMatch(outcome.message, /\d/);
  });
}

test('Webhooks_Deliver tells a broken answer from none', () => {
  assert.equal(outcomeOfFailure(coded('UND_ERR_SOCKET'), true).error, 'aborted_by_receiver');
});
