import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, beforeEach, test } from 'node:test';
import { sharedHandlers } from '@bailiwick/notifications/endpoints/handlers.ts';
import { byService } from '@bailiwick/notifications/health/disable-policy.ts';
import {
  settleAsDone,
  settleAsWaiting,
  type WaitingRow,
} from '@bailiwick/notifications/queue/queries.ts';
import type { Store } from '@bailiwick/notifications/queue/store.ts';
import { notificationsSchema } from '@bailiwick/notifications/schema.ts';
import { WebhookEndpointEntity } from '@bailiwick/notifications/webhooks/entities.ts';
import type { Call, Pager } from '@bailiwick/pipeline';
import { createLog } from '@bailiwick/process';
import { type Database, type Limiter, openDatabase } from '@bailiwick/store';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';

// All code locks an endpoint, its deliveries and its health in one order, against deadlocks.

let store: TestDatabase;
let database: Database;
/** The connection of another process with an open transaction. */
let other: pg.Client;
const [tenant, id] = ['tnt_1', 'whk_1'];

before(async () => {
  store = await createTestDatabase();
  database = openDatabase({
    service: 'notifications',
    url: store.url,
    entities: notificationsSchema.entities,
    poolSize: 4,
    log: createLog('test', () => {}),
  });
  other = new pg.Client({ connectionString: store.url });
  await other.connect();
});
after(async () => {
  await other?.end();
  await database?.close();
  await store?.drop();
});
beforeEach(async () => {
  await rowsOf(
    place(),
    'truncate notifications.webhook_endpoint, notifications.delivery_waiting, notifications.delivery_attempt, notifications.endpoint_health',
  );
  await rowsOf(
    place(),
    `insert into notifications.webhook_endpoint (tenant, id, name, url, active, event_types, description, rate_limit, dek_id, secret_enc, disabled_reason, created_at, updated_at)
     values ($1, $2, '', '', true, '{}', '', 0, '', '', '', now(), now())`,
    [tenant, id],
  );
  await rowsOf(
    place(),
    `insert into notifications.delivery_waiting (task, state, lane, operation, tenant, endpoint, event, attempt, enqueued_at, extra, dek_id, request)
     select 'task-' || n, 'queued', 'webhook', 'Webhooks_Deliver', $1, $2, '', 2, now(), '{}', '', '' from generate_series(29, 10, -1) as n`,
    [tenant, id],
  );
  await rowsOf(
    place(),
    'insert into notifications.endpoint_health (tenant, endpoint, failing_since) values ($1, $2, now())',
    [tenant, id],
  );
});

const place = () => ({ databaseUrl: store.url });
const isWaiting = async () =>
  (
    await rowsOf(
      place(),
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
  ).length > 0;

const deleteEndpoint = () =>
  sharedHandlers(
    {
      database,
      pager: {} as Pager,
      limiter: {} as Limiter,
      store: {} as Store,
      deliveryBodyHours: 1,
    },
    {
      type: 'webhook_endpoint',
      events: { deleted: 'webhook_endpoint.deleted', replayed: '' },
      find: () => Promise.resolve(undefined),
      list: () => Promise.resolve([]),
      lock: (tx, which, lockMode) => tx.em.findOne(WebhookEndpointEntity, which, { lockMode }),
      toApi: () => ({}),
      recordEvent: () => {},
    },
  ).deleteEndpoint({ tenant, id }, { ...byService, invalidates: new Set() } as Call);

const attemptOf = (task: string, endpoint = id) => {
  const outcome = {
    delivery: '',
    status: 'failed',
    statusCode: 400,
    error: '',
    message: '',
    durationMs: 1,
    startedAt: new Date(),
    nextAttemptAt: null,
  };
  return { task, attempt: 2, operation: '', tenant, endpoint, event: '', type: '', ...outcome };
};

/** Settles a task as a dead letter. */
async function deadLetter(task: string, endpoint: string): Promise<void> {
  const attempt = attemptOf(task, endpoint);
  const row = {
    state: 'dead',
    lane: '',
    firstAttempt: 1,
    dueAt: null,
    enqueuedAt: new Date(),
    extra: {},
    traceparent: '',
    dekId: '',
  } as const;
  await settleAsWaiting(
    database,
    byService,
    attempt,
    { ...attempt, ...row, request: Buffer.alloc(0) } satisfies WaitingRow,
    {
      isExhausted: endpoint !== '',
      isKept: false,
    },
  );
}
const deadLetters = async () => {
  const rows = await rowsOf<{ task: string }>(
    place(),
    "select task from notifications.delivery_waiting where state = 'dead' order by task",
  );
  return rows.map(({ task }) => task);
};
const exhaustedHealth = () =>
  rowsOf<{ endpoint: string }>(
    place(),
    'select endpoint from notifications.endpoint_health where exhausted_at is not null',
  );

test('deleting an endpoint waits for the transaction that parks its task, and deletes the task', async () => {
  await other.query('begin');
  await other.query(
    "update notifications.delivery_waiting set state = 'parked' where task = 'task-15'",
  );
  const deleted = deleteEndpoint();
  await eventually('the waiting deletion', isWaiting);
  await other.query('update notifications.endpoint_health set parked = true');
  await other.query('commit');
  await deleted;
  for (const table of ['webhook_endpoint', 'delivery_waiting', 'endpoint_health'])
    assert.deepEqual(await rowsOf(place(), `select from notifications.${table}`), [], table);
});

test('settling the tasks of an endpoint locks them in order, so a concurrent lock cannot deadlock', async () => {
  await other.query('begin');
  await other.query("select from notifications.delivery_waiting where task = 'task-10' for update");
  const tasks = Array.from({ length: 20 }, (_, index) => `task-${index + 10}`);
  const result = settleAsDone(
    database,
    byService,
    tasks.map((task) => attemptOf(task)),
  );
  await eventually('the waiting settlement', isWaiting);
  // It waits for the first row and holds none of the others.
  const free = await other.query(
    "select from notifications.delivery_waiting where task > 'task-10' for update skip locked",
  );
  assert.equal(free.rowCount, 19);
  await other.query('commit');
  await result;
  assert.deepEqual(await rowsOf(place(), 'select from notifications.delivery_waiting'), []);
});

test('a dead letter of a deleted endpoint leaves no rows', async () => {
  await deadLetter('task-10', id);
  await deadLetter('mail', '');
  await deadLetter('late', 'whk_gone');
  assert.deepEqual(await deadLetters(), ['mail', 'task-10']);
  assert.deepEqual(await exhaustedHealth(), [{ endpoint: id }]);
});

test('a dead letter of an endpoint in deletion leaves no rows', async () => {
  await other.query('begin');
  await other.query('delete from notifications.webhook_endpoint');
  await other.query('delete from notifications.delivery_waiting');
  await other.query('delete from notifications.endpoint_health');
  const result = deadLetter('task-11', id);
  await eventually('the waiting dead letter', isWaiting);
  await other.query('commit');
  await result;
  assert.deepEqual(await deadLetters(), []);
  assert.deepEqual(await exhaustedHealth(), []);
});
