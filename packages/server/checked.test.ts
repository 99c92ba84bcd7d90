import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccessClient, checked } from './checked.ts';

const question = { tenant: 'tnt_1', subject: 'usr_1', permission: 'app.reports.read' };

/** Answers from a list of permissions, and counts the questions. */
function fakeClient(allowed: string[]) {
  const calls: object[] = [];
  const client: AccessClient = {
    call(operation, request) {
      calls.push({ operation, ...request });
      return Promise.resolve({ Allowed: allowed.includes(request.Permission) });
    },
  };
  return { client, calls };
}

test('checked asks Access_Check about the subject, permission and resource in the tenant', async () => {
  const { client, calls } = fakeClient(['app.reports.read']);
  const isAllowed = checked(client);
  assert.equal(await isAllowed(question), true);
  assert.equal(await isAllowed({ ...question, permission: 'app.x.read', resource: 'r' }), false);
  assert.deepEqual(calls, [
    {
      operation: 'Access_Check',
      Tenant: 'tnt_1',
      Subject: 'usr_1',
      Permission: 'app.reports.read',
      Resource: '',
    },
    {
      operation: 'Access_Check',
      Tenant: 'tnt_1',
      Subject: 'usr_1',
      Permission: 'app.x.read',
      Resource: 'r',
    },
  ]);
});

test('an answer is cached for two seconds after the question, and no longer', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const allowed = ['app.reports.read'];
  const { client, calls } = fakeClient(allowed);
  const isAllowed = checked(client, { cacheMs: 60_000 });
  await Promise.all([isAllowed(question), isAllowed(question)]);
  allowed.pop();
  now = 1999;
  assert.equal(await isAllowed(question), true);
  assert.equal(calls.length, 1);
  now = 2000;
  assert.equal(await isAllowed(question), false);
  assert.equal(calls.length, 2);
});

test('an answer belongs to its tenant, subject, permission and resource', async () => {
  const { client, calls } = fakeClient([]);
  const isAllowed = checked(client);
  await isAllowed(question);
  for (const other of [
    { tenant: 'tnt_2' },
    { subject: 'usr_2' },
    { permission: 'app.reports.write' },
    { resource: 'report-7' },
    // Parts that together make the same text.
    { tenant: 'tnt_1","usr_1', subject: '' },
  ])
    await isAllowed({ ...question, ...other });
  assert.equal(calls.length, 6);
});

test('a failure is not cached, and without a cache every question is asked', async () => {
  let fails = true;
  const client: AccessClient = {
    call: () => (fails ? Promise.reject(new Error('away')) : Promise.resolve({ Allowed: true })),
  };
  const isAllowed = checked(client);
  await assert.rejects(isAllowed(question), /away/);
  fails = false;
  assert.equal(await isAllowed(question), true);
  const other = fakeClient([]);
  const current = checked(other.client, { cacheMs: 0 });
  await current(question);
  await current(question);
  assert.equal(other.calls.length, 2);
});

test('the cache is bounded: the oldest answer is dropped first', async () => {
  const { client, calls } = fakeClient([]);
  const isAllowed = checked(client, { maxEntries: 2 });
  const ask = (subject: string) => isAllowed({ ...question, subject });
  for (const subject of ['a', 'b', 'c', 'b', 'c']) await ask(subject);
  assert.equal(calls.length, 3);
  await ask('a');
  assert.equal(calls.length, 4);
});
