import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  causesOf,
  exhausted,
  isOutage,
  notFound,
  ServiceError,
  toConnectError,
  toServiceError,
} from './errors.ts';

const withCode = (code: string) => Object.assign(new Error('secret text'), { code });

test('a ServiceError keeps its code, reason, messages and delay over the wire', () => {
  for (const error of [
    exhausted('too many requests', 30),
    notFound('group'),
    new ServiceError('invalid_argument', 'TOO_DEEP', ['first', 'second']),
  ]) {
    const received = toServiceError(toConnectError(error));
    assert.deepEqual(
      [received.code, received.reason, received.messages, received.retryAfter],
      [error.code, error.reason, error.messages, error.retryAfter],
    );
  }
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
