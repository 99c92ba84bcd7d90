import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../client.ts';
import { errorOf } from '../errors.ts';
import {
  batches,
  csv,
  delimiterOf,
  headProblem,
  isColumn,
  isField,
  isSent,
  jsonl,
  lackOfPassword,
  readRow,
  sendUsers,
} from './mod.ts';

const tenant = 'tnt_01hzzzzzzzzzzzzzzzzzzzzzz1';

test('a row of CSV becomes a user, and a row without an address is not sent', () => {
  const record = {
    Email: 'a@example.com',
    EmailVerified: 'TRUE',
    Roles: 'admin  auditor',
    'Metadata.plan': 'gold',
    Locale: '',
  };
  assert.deepEqual(readRow({ line: 2, record }, csv, { Tenant: tenant, Groups: ['eng'] }), {
    line: 2,
    user: {
      Email: 'a@example.com',
      EmailVerified: true,
      Metadata: { plan: 'gold' },
      Tenants: [{ Tenant: tenant, Roles: ['admin', 'auditor'], Groups: ['eng'] }],
    },
  });
  const unsent = readRow({ line: 3, record: { Name: 'A' } }, csv, undefined);
  assert.ok(!isSent(unsent));
  assert.equal(unsent.problem, 'the user has no email address');
});

test('the known columns and fields are those that the readers take', () => {
  const names = ['Email', 'Roles', 'Metadata.plan', 'Tenants', 'Metadata', 'Verdict', 'Emial'];
  assert.deepEqual(names.filter(isColumn), ['Email', 'Roles', 'Metadata.plan']);
  assert.deepEqual(names.filter(isField), ['Email', 'Tenants', 'Metadata', 'Verdict']);
  const { Email, ...more } = jsonl({ Email: 'a@example.com', Verdict: { Code: 'x' } }).user;
  assert.deepEqual([Email, more], ['a@example.com', {}]);
});

test('a batch has at most 200 users and 700,000 bytes', async () => {
  const sizes = async (rows: Array<{ user: object }>) => {
    const lengths: number[] = [];
    for await (const batch of batches(rows)) lengths.push(batch.length);
    return lengths;
  };
  assert.deepEqual(await sizes(Array.from({ length: 450 }, () => ({ user: {} }))), [200, 200, 50]);
  const large = { user: { Name: 'ü'.repeat(200_000) } };
  assert.deepEqual(await sizes([large, large]), [1, 1]);
});

test('without a wait before a repetition, an interrupted call fails at once', async () => {
  let calls = 0;
  const call = (operation: string) => {
    calls++;
    const answer = { operation, status: 503, Code: 'unavailable', Messages: [], RequestID: '' };
    return Promise.reject(errorOf(answer));
  };
  const client = { call: call as Client['call'] };
  const users = [{ Email: 'a@example.com' }];
  await assert.rejects(sendUsers({ client, dryRun: false, batchId: 'b' }, users));
  assert.equal(calls, 1);
  const sender = { client, dryRun: false, batchId: 'b', beforeRetry: () => Promise.resolve() };
  await assert.rejects(sendUsers(sender, users));
  assert.equal(calls, 7);
});

test('a flag is true, false, 1 or 0, and nothing else', () => {
  const read = (EmailVerified: string) =>
    readRow({ line: 2, record: { Email: 'a@example.com', EmailVerified } }, csv, undefined);
  for (const [value, isVerified] of [
    ['True', true],
    ['1', true],
    ['FALSE', false],
    ['0', false],
    ['', false],
  ] as const)
    assert.deepEqual(
      [read(value).problem, read(value).user.EmailVerified],
      [undefined, isVerified],
      value,
    );
  assert.equal(read('yes').problem, 'EmailVerified must be true, false, 1 or 0, and is "yes"');
});

test('a user without a password has a reason', () => {
  const user = { Email: 'a@example.com', PasswordHash: '$2b$', EmailVerified: true };
  assert.equal(lackOfPassword(user), undefined);
  assert.equal(lackOfPassword({ ...user, EmailVerified: false }), 'notVerified');
  assert.equal(lackOfPassword({ ...user, PasswordHash: '' }), 'noPassword');
});

test('the first line of CSV names its separator, and what is wrong with its columns', () => {
  assert.equal(delimiterOf('Email,"a;b;c;d",Name\nx;y;z;w'), ',');
  assert.equal(delimiterOf('Email;Name\n'), ';');
  assert.equal(delimiterOf('Email\tName'), '\t');
  assert.equal(
    headProblem(['email', 'Name'], ['Email']),
    'the file has no column Email; it has email, Name',
  );
  assert.match(headProblem(['Email', 'Emial'], [], isColumn) ?? '', /not know the column Emial/);
  assert.equal(headProblem(['Email', 'Metadata.plan'], ['Email'], isColumn), undefined);
});
