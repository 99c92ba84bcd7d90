import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccountTasksSendNoticeResponseSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/tasks_pb.ts';
import { WebhooksDeliverResponseSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { denied, failedPrecondition, invalid, ServiceError, unavailable } from '@bailiwick/shared/errors.ts';
import { create } from '@bufbuild/protobuf';
import { mailError } from '../email/mailer.ts';
import { mailLimited, mailSuppressed, outcomeOfError, outcomeOfResponse } from './outcome.ts';

const statusOf = (thrown: unknown) => outcomeOfError('tsk_1', thrown)?.status;

test("a delivery's outcome is its result", () => {
  const task = { id: 'evt_1', status: 'retry', statusCode: 503, error: 'http_status', message: 'the receiver answered 503' };
  const outcome = outcomeOfResponse('evt_1.whk_1', create(WebhooksDeliverResponseSchema, { task }));
  assert.deepEqual(outcome, { delivery: 'evt_1', status: 'retry', statusCode: 503, error: 'http_status', message: 'the receiver answered 503' });
});

test("a mail's empty response means that it went out", () => {
  assert.equal(outcomeOfResponse('tsk_1', create(AccountTasksSendNoticeResponseSchema)).status, 'delivered');
});

test('a mail that the mail server did not take is tried again, one that it refused is not', () => {
  assert.equal(statusOf(mailError(Object.assign(new Error('busy'), { responseCode: 451 }))), 'retry');
  assert.equal(statusOf(mailError(Object.assign(new Error('away'), { code: 'ECONNECTION' }))), 'retry');
  assert.equal(statusOf(mailError(Object.assign(new Error('our password is wrong'), { code: 'EAUTH', responseCode: 535 }))), 'retry');
  assert.equal(statusOf(mailError(Object.assign(new Error('no such mailbox'), { code: 'EENVELOPE', responseCode: 550 }))), 'failed');
});

test("the mail server's own words, which may name the address, stay in the log", () => {
  const outcome = outcomeOfError('tsk_1', mailError(Object.assign(new Error('550 <ann@example.org> unknown'), { code: 'EENVELOPE', responseCode: 550 })));
  assert.equal(outcome?.message, 'the mail server refused the mail (550)');
});

test('a mail that is not to be sent is dropped, and its result says why', () => {
  const outcomes = [mailSuppressed, mailLimited].map((reason) => outcomeOfError('tsk_1', failedPrecondition('no', reason)));
  assert.deepEqual(
    outcomes.map((outcome) => [outcome?.status, outcome?.error]),
    [
      ['dropped', 'suppressed'],
      ['dropped', 'rate_limited'],
    ],
  );
});

test('a fault of ours is no attempt', () => {
  assert.equal(statusOf(unavailable()), undefined);
  assert.equal(statusOf(new TypeError('a defect')), undefined);
  assert.equal(statusOf(Object.assign(new Error('database'), { code: 'ECONNREFUSED' })), undefined);
});

test('a task that can never succeed fails at once', () => {
  assert.equal(statusOf(invalid('Email is required')), 'failed');
  assert.equal(statusOf(failedPrecondition('no')), 'failed');
  assert.equal(statusOf(denied()), 'failed');
  assert.equal(statusOf(new ServiceError('unimplemented', 'UNIMPLEMENTED', 'not yet')), 'failed');
});
