import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../client/client.ts';
import { errorOf } from '../client/errors.ts';
import { batches, csv, isColumn, isField, isSent, jsonl, readRow, sendUsers } from './mod.ts';

const tenant = 'tnt_01hzzzzzzzzzzzzzzzzzzzzzz1';

test('a row of CSV becomes a user, and a row without an address is not sent', () => {
  const record = {
    Email: 'a@example.com',
    EmailVerified: 'TRUE',
    Roles: 'admin  auditor',
    'Metadata.plan': 'gold',
    Locale: '',
  };
  assert.deepEqual(readRow({ record }, csv, { Tenant: tenant, Groups: ['eng'] }), {
    user: {
      Email: 'a@example.com',
      EmailVerified: true,
      Metadata: { plan: 'gold' },
      Tenants: [{ Tenant: tenant, Roles: ['admin', 'auditor'], Groups: ['eng'] }],
    },
  });
  const unsent = readRow({ record: { Name: 'A' } }, csv, undefined);
  assert.ok(!isSent(unsent));
  assert.equal(unsent.problem, 'the user has no email address');
});

test('the known columns and fields are those that the readers take', () => {
  const names = ['Email', 'Roles', 'Metadata.plan', 'Tenants', 'Metadata', 'Verdict', 'Emial'];
  assert.deepEqual(names.filter(isColumn), ['Email', 'Roles', 'Metadata.plan']);
  assert.deepEqual(names.filter(isField), ['Email', 'Tenants', 'Metadata', 'Verdict']);
  const { Email, ...more } = jsonl({ Email: 'a@example.com', Verdict: { Code: 'x' } });
  assert.deepEqual([Email, more], ['a@example.com', {}]);
});

test('a batch has at most 200 users and 700,000 bytes', async () => {
  const sizes = async (rows: Array<{ user: object }>) => {
    const found: number[] = [];
    for await (const batch of batches(rows)) found.push(batch.length);
    return found;
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
  await assert.rejects(sendUsers({ client, dryRun: false }, users));
  assert.equal(calls, 1);
  const sender = { client, dryRun: false, beforeRetry: () => Promise.resolve() };
  await assert.rejects(sendUsers(sender, users));
  assert.equal(calls, 7);
});
