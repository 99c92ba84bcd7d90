import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf } from './failure.ts';

const coded = (code: string, cause?: unknown) =>
  Object.assign(new Error('connect 10.1.2.3:443', { cause }), { code });
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
  [
    'a wrapped blocked address',
    coded('UND_ERR_SOCKET', coded('BLOCKED_ADDRESS')),
    'blocked_address',
  ],
  ['oversized headers', coded('UND_ERR_HEADERS_OVERFLOW'), 'response_too_large'],
  ['a flood of informational responses', coded('ANSWER_TOO_LARGE'), 'response_too_large'],
  ['a response that is not HTTP', coded('HPE_INVALID_CONSTANT'), 'connection_reset'],
];

for (const [what, thrown, error] of failures) {
  test(`failureOf maps ${what} to ${error}, and names no address`, () => {
    const { failure, message } = failureOf(thrown, false);
    assert.equal(failure, error);
    assert.doesNotMatch(message, /\d/);
  });
}

test('a request distinguishes an aborted response from no response', () => {
  assert.equal(failureOf(coded('UND_ERR_SOCKET'), true).failure, 'aborted_by_receiver');
});
