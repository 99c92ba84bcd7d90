import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  causesOf,
  exhausted,
  invalid,
  isOutage,
  limitReached,
  notFound,
  ServiceError,
  toConnectError,
  toServiceError,
} from './errors.ts';
import { problem } from './problems.ts';

const withCode = (code: string) => Object.assign(new Error('secret text'), { code });

test('a ServiceError keeps its code, reason, messages and delay over the wire', () => {
  for (const error of [
    exhausted('too many requests', 30),
    notFound('group'),
    limitReached('at most 10 keys', 10),
    new ServiceError('invalid_argument', 'TOO_DEEP', [
      'User.Name is odd',
      problem('Users[0].Email', 'max_len', 'must be at most 5 characters', { Max: '5' }),
    ]),
  ]) {
    const received = toServiceError(toConnectError(error));
    assert.deepEqual(
      [received.code, received.reason, received.messages, received.retryAfter],
      [error.code, error.reason, error.messages, error.retryAfter],
    );
    assert.deepEqual([received.params, received.problems], [error.params, error.problems]);
  }
});

test('an invalid request has a problem for each message, also from a process of another version', () => {
  const error = invalid(['Users[0].Tags["a b"] is odd', 'the body is odd']);
  const custom = [
    ['Users[0].Tags["a b"]', 'custom'],
    ['', 'custom'],
  ];
  const fieldsOf = ({ problems }: ServiceError) => problems.map(({ field, rule }) => [field, rule]);
  assert.deepEqual(fieldsOf(error), custom);
  const received = (problems: readonly unknown[]) => {
    const connectError = toConnectError(error);
    for (const detail of connectError.details)
      if ('value' in detail) Object.assign(detail.value, { problems });
    return toServiceError(connectError);
  };
  assert.deepEqual(fieldsOf(received([])), custom, 'of an older one');
  const newer = { field: 'x', rule: 'from_tomorrow', params: { items: { A: 'b' } } };
  assert.deepEqual(fieldsOf(received([newer])), custom, 'of a newer one');
  assert.deepEqual(notFound('group').problems, []);
});

test('toServiceError discloses no text of other errors', () => {
  for (const thrown of [new Error('secret text'), 'secret text', undefined, withCode('23505')])
    assert.equal(toServiceError(thrown).message, 'internal error');
  const failed = new ConnectError('secret text', Code.Internal);
  assert.equal(toServiceError(failed).message, 'internal error');
});

test('toServiceError maps failed connections and an error of the transport to unavailable', () => {
  const wrapped = new Error('query failed', { cause: withCode('ECONNREFUSED') });
  for (const thrown of [withCode('57P01'), wrapped, new ConnectError('x', Code.Aborted)])
    assert.equal(toServiceError(thrown).code, 'unavailable');
});

test('isOutage excludes a statement that took too long', () => {
  assert.equal(isOutage(withCode('08006')), true);
  assert.equal(isOutage(withCode('57014')), false);
  assert.equal(isOutage(notFound('group')), false);
});

test('causesOf ends at five causes, even for a chain that repeats', () => {
  const error = new Error('again');
  error.cause = error;
  assert.equal(causesOf(error).length, 5);
});
