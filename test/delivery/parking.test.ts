import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import { serviceOrigin } from '@bailiwick/contract';
import { type ParkedRow, parkTasks } from '@bailiwick/notifications/queue/parking/queries.ts';
import { notificationsSchema } from '@bailiwick/notifications/schema.ts';
import { openTestDatabase } from '../support/database.ts';
import { rowsOf } from '../support/store.ts';

const byService = serviceOrigin('test');

// Tasks of several tenants are parked in one statement.

let store: Awaited<ReturnType<typeof openTestDatabase>>;

before(async () => {
  store = await openTestDatabase(notificationsSchema);
});
after(() => store?.drop());

const parkedRow = (task: string, tenant: string, release: ParkedRow['release']): ParkedRow => ({
  task,
  lane: 'webhook',
  operation: 'Webhooks_Deliver',
  tenant,
  endpoint: `whk_of_${tenant}`,
  event: 'evt_1',
  attempt: 2,
  firstAttempt: 1,
  enqueuedAt: new Date('2026-01-01T00:00:00.123Z'),
  extra: { locale: 'de', note: '{"a", b\\}' },
  traceparent: '',
  dekId: 'dek_1',
  request: Buffer.from([0, 255, 92, 34]),
  release,
});
const atOnce = { size: 128, afterSeconds: 0 };
const inAWhile = { size: 500, afterSeconds: 60 };

test('parkTasks stores each task unchanged, and releases each endpoint as its tasks ask for', async () => {
  await parkTasks(store.database, byService, [
    parkedRow('tsk_1', 'tnt_a', inAWhile),
    parkedRow('tsk_2', 'tnt_a', atOnce),
    parkedRow('tsk_3', 'tnt_b', atOnce),
  ]);
  const rows = await rowsOf(
    { databaseUrl: store.url },
    `select task, tenant, endpoint, state, attempt, enqueued_at as "enqueuedAt", extra, request from notifications.delivery_waiting order by task`,
  );
  const stored = (task: string, tenant: string) => {
    const { endpoint, attempt, enqueuedAt, extra, request } = parkedRow(task, tenant, atOnce);
    return { task, tenant, endpoint, state: 'parked', attempt, enqueuedAt, extra, request };
  };
  assert.deepEqual(rows, [
    stored('tsk_1', 'tnt_a'),
    stored('tsk_2', 'tnt_a'),
    stored('tsk_3', 'tnt_b'),
  ]);
  assert.deepEqual(
    await rowsOf(
      { databaseUrl: store.url },
      `select tenant, parked, release_size as size, release_at > now() + interval '50 s' as later from notifications.endpoint_health order by tenant`,
    ),
    [
      { tenant: 'tnt_a', parked: true, size: 128, later: true },
      { tenant: 'tnt_b', parked: true, size: 128, later: null },
    ],
  );
});

test('parkTasks parks no task whose attempt has been made, and marks no endpoint for it', async () => {
  await rowsOf(
    { databaseUrl: store.url },
    `insert into notifications.delivery_attempt (task, attempt, operation, tenant, endpoint, event, type, delivery, status, status_code, error, message, duration_ms, started_at)
     values ('tsk_9', 2, 'Webhooks_Deliver', 'tnt_c', 'whk_of_tnt_c', '', '', '', 'delivered', 200, '', '', 1, now())`,
  );
  await parkTasks(store.database, byService, [
    parkedRow('tsk_9', 'tnt_c', atOnce),
    parkedRow('tsk_8', 'tnt_d', atOnce),
  ]);
  assert.deepEqual(
    await rowsOf(
      { databaseUrl: store.url },
      `select tenant from notifications.delivery_waiting where tenant in ('tnt_c', 'tnt_d')
       union all select tenant from notifications.endpoint_health where tenant in ('tnt_c', 'tnt_d')`,
    ),
    [{ tenant: 'tnt_d' }, { tenant: 'tnt_d' }],
  );
});
