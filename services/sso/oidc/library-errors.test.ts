import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JWT_CLAIM_COMPARISON, OperationProcessingError, validateAuthResponse } from 'oauth4webapi';
import { SignInRefused } from '../refusal.ts';
import { explainError, namedError } from './library-errors.ts';

test("namedError shows a provider's error code with advice, and no other text of the provider", () => {
  assert.equal(namedError('server_error'), ', error server_error');
  assert.match(namedError('invalid_client'), /^, error invalid_client \(the client id, /);
  for (const text of [
    undefined,
    7,
    '',
    'Invalid',
    '<b>',
    'ada@example.com',
    'a b',
    'x'.repeat(41),
    'constructor'.toUpperCase(),
  ])
    assert.equal(namedError(text), '');
  assert.equal(namedError('constructor'), ', error constructor');
});

test('explainError explains a library error to an administrator, without the rejected values', () => {
  const refused = () =>
    validateAuthResponse(
      { issuer: 'https://login.example.com' },
      { client_id: 'a' },
      new URLSearchParams('state=theirs&code=secret'),
      'ours',
    );
  assert.throws(refused, (error: unknown) => {
    const refusal = explainError(error);
    assert.ok(refusal instanceof SignInRefused);
    assert.deepEqual(
      [refusal.reason, refusal.detail],
      ['ANSWER_INVALID', 'The answer belongs to another sign-in: its state is not ours.'],
    );
    return true;
  });
});

test('explainError reads the code and cause of a library error, and not its message', () => {
  const error = new OperationProcessingError('reworded', {
    code: JWT_CLAIM_COMPARISON,
    cause: { claim: 'nonce', expected: 'ours', claims: { nonce: 'theirs' } },
  });
  const refusal = explainError(error);
  assert.ok(refusal instanceof SignInRefused);
  assert.equal(refusal.detail, 'The ID token belongs to another sign-in: its nonce is not ours.');
});

test('explainError passes on unknown library messages, and does not convert internal errors', () => {
  const unknown = explainError(new OperationProcessingError('something new'));
  assert.ok(unknown instanceof SignInRefused && unknown.detail.endsWith(': something new.'));
  const fault = new TypeError('x is not a function');
  assert.equal(explainError(fault), fault);
});
