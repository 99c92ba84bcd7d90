import assert from 'node:assert/strict';
import { test } from 'node:test';
import { denied, failedPrecondition, invalid, ServiceError, unavailable } from '@bailiwick/errors';
import { describe } from '@bailiwick/process';
import { AccountTasksSendNoticeResponseSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/tasks_pb.ts';
import { WebhooksDeliverResponseSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { create } from '@bufbuild/protobuf';
import { mailError } from '../email/mailer.ts';
import {
  mailLimited,
  mailSuppressed,
  outcomeOfError,
  outcomeOfResponse,
} from './attempt-outcome.ts';

const statusOf = (thrown: unknown) => outcomeOfError('tsk_1', thrown)?.status;

test("a delivery's outcome is its result", () => {
  const task = {
    id: 'evt_1',
    status: 'retry',
    statusCode: 503,
    error: 'http_status',
    message: 'the receiver answered 503',
  };
  const outcome = outcomeOfResponse('evt_1.whk_1', create(WebhooksDeliverResponseSchema, { task }));
  assert.deepEqual(outcome, {
    delivery: 'evt_1',
    status: 'retry',
    statusCode: 503,
    error: 'http_status',
    message: 'the receiver answered 503',
  });
});

test("a mail's empty response means that it was sent", () => {
  assert.equal(
    outcomeOfResponse('tsk_1', create(AccountTasksSendNoticeResponseSchema)).status,
    'delivered',
  );
});

test('a mail is retried after a temporary mail server error, and not after a permanent one', () => {
  assert.equal(
    statusOf(mailError(Object.assign(new Error('busy'), { responseCode: 451 }))),
    'retry',
  );
  assert.equal(
    statusOf(mailError(Object.assign(new Error('away'), { code: 'ECONNECTION' }))),
    'retry',
  );
  assert.equal(
    statusOf(
      mailError(
        Object.assign(new Error('our password is wrong'), { code: 'EAUTH', responseCode: 535 }),
      ),
    ),
    'retry',
  );
  assert.equal(
    statusOf(
      mailError(
        Object.assign(new Error('no such mailbox'), { code: 'EENVELOPE', responseCode: 550 }),
      ),
    ),
    'failed',
  );
});

test("a mail server's response text, which may contain the address, is neither stored nor logged", () => {
  const failed = (responseCode: number, response: string) =>
    mailError(
      Object.assign(new Error(`rejected: ${response}`), {
        code: 'EENVELOPE',
        command: 'RCPT TO',
        responseCode,
        response,
      }),
    );
  const refused = failed(550, '550 5.7.1 <ann@example.org> refused');
  assert.equal(outcomeOfError('tsk_1', refused)?.message, 'the mail server refused the mail (550)');
  const passing = failed(450, '450-4.2.0 <ann@example.org> greylisted');
  for (const error of [refused, passing]) assert.doesNotMatch(describe(error), /ann/);
  assert.match(describe(passing), /EENVELOPE RCPT TO 450 4\.2\.0/);
});

test('a mail server connection error is logged', () => {
  const expired = Object.assign(new Error('certificate has expired'), {
    code: 'ETLS',
    command: 'CONN',
  });
  assert.match(describe(mailError(expired)), /certificate has expired/);
});

test('a suppressed or rate-limited mail is dropped, and its result says why', () => {
  const outcomes = ([mailSuppressed, mailLimited] as const).map((reason) =>
    outcomeOfError('tsk_1', failedPrecondition('no', reason)),
  );
  assert.deepEqual(
    outcomes.map((outcome) => [outcome?.status, outcome?.error]),
    [
      ['dropped', 'suppressed'],
      ['dropped', 'rate_limited'],
    ],
  );
});

test('an internal error does not count as an attempt', () => {
  assert.equal(statusOf(unavailable()), undefined);
  assert.equal(statusOf(new TypeError('a defect')), undefined);
  assert.equal(statusOf(Object.assign(new Error('database'), { code: 'ECONNREFUSED' })), undefined);
});

test('a task that can never succeed fails at once', () => {
  assert.equal(statusOf(invalid('Email is required')), 'failed');
  assert.equal(statusOf(failedPrecondition('no')), 'failed');
  assert.equal(statusOf(denied()), 'failed');
  assert.equal(statusOf(new ServiceError('unimplemented', '', 'not yet')), 'failed');
});
