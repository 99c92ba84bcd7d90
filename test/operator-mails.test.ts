import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findOperators, warnOfOthers } from '@bailiwick/access/grants/queries.ts';
import { accessSchema } from '@bailiwick/access/schema.ts';
import { createId } from '@bailiwick/contract';
import { createLog } from '@bailiwick/process';
import { type Database, onPool, openDatabase } from '@bailiwick/store';
import { createTestDatabase } from './support/database.ts';
import { rowsOf } from './support/store.ts';

// Which operators get a mail about the platform, on a database.

const lines: string[] = [];
const log = createLog('test', (line) => lines.push(line));

let server: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
before(async () => {
  server = await createTestDatabase();
  const { service, entities } = accessSchema;
  database = openDatabase({ service, url: server.url, entities, poolSize: 1, log });
});
after(async () => {
  await database?.close();
  await server?.drop();
});

type Grant = { tenant?: string; subjectType?: string; resource?: string; end?: string };

async function give(subject: string, role: string, grant: Grant = {}): Promise<string> {
  const { tenant = '', subjectType = 'user', resource = '', end = null } = grant;
  await rowsOf(
    { databaseUrl: server.url },
    `insert into access.grant_entry (tenant, id, subject_type, subject, role, resource, expires_at, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, now() + $7::interval, '', now())`,
    [tenant, createId('grt'), subjectType, subject, role, resource, end],
  );
  return subject;
}

const logged = () => lines.filter((line) => line.includes('not all operators get a mail'));

test('the operators who can take roles away come first, and a log line names how many get no mail', async () => {
  const subject = (number: number) => `usr_${String(number).padStart(4, '0')}`;
  const readers: string[] = [];
  for (let number = 0; number < 48; number++)
    readers.push(await give(subject(number), 'platform-support'));
  const owners = [await give(subject(200), 'platform-owner')];
  // Both roles of one user are one mail.
  owners.push(await give(subject(201), 'platform-owner'));
  await give(subject(201), 'platform-support');
  await give(subject(300), 'platform-owner', { end: '-1 second' });
  await give(subject(301), 'platform-owner', { tenant: createId('tnt') });
  await give(subject(302), 'platform-owner', { resource: 'report:8' });
  await give(createId('bot'), 'platform-owner', { subjectType: 'bot' });
  await rowsOf(
    { databaseUrl: server.url },
    `insert into access.subject_state (subject, state, since, changed_at) values ($1, 'disabled', now(), now())`,
    [await give(subject(303), 'platform-owner')],
  );
  const run = onPool(database);
  const few = await findOperators(run);
  assert.deepEqual(few.ids, [...owners, ...readers]);
  warnOfOthers(log, few);
  assert.deepEqual(logged(), []);

  owners.unshift(await give(subject(100), 'platform-owner', { end: '1 hour' }));
  const many = await findOperators(run);
  assert.deepEqual(many.ids, [...owners, ...readers.slice(0, 47)]);
  warnOfOthers(log, many);
  const [line, ...more] = logged();
  assert.ok(line && more.length === 0);
  const { operators, mails } = JSON.parse(line) as Record<string, unknown>;
  assert.deepEqual({ operators, mails }, { operators: 51, mails: 50 });
});
