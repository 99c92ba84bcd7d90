import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OperationProcessingError, validateAuthResponse } from 'oauth4webapi';
import { SignInRefused } from '../sign-in/refusal.ts';
import { asRefusal, namedError } from './failure.ts';

test('an error code is told, with what to do about it, and nothing else that a provider says', () => {
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

test('a refusal of the library becomes one that an administrator reads, without the values that were refused', () => {
  const refused = () =>
    validateAuthResponse(
      { issuer: 'https://login.example.com' },
      { client_id: 'a' },
      new URLSearchParams('state=theirs&code=secret'),
      'ours',
    );
  assert.throws(refused, (error: unknown) => {
    const refusal = asRefusal(error);
    assert.ok(refusal instanceof SignInRefused);
    assert.deepEqual(
      [refusal.reason, refusal.detail],
      ['ANSWER_INVALID', 'The answer belongs to another sign-in: its state is not ours.'],
    );
    return true;
  });
});

test('what the library says in words that are not known here is told as it is, and faults of ours stay faults', () => {
  const unknown = asRefusal(new OperationProcessingError('something new'));
  assert.ok(unknown instanceof SignInRefused && unknown.detail.endsWith(': something new.'));
  const fault = new TypeError('x is not a function');
  assert.equal(asRefusal(fault), fault);
});
