import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createId, serviceOrigin } from '@bailiwick/contract';
import { settleAsDone } from '@bailiwick/notifications/queue/queries.ts';
import { notificationsSchema } from '@bailiwick/notifications/schema.ts';
import { deleteOldHours, listDays, listHours } from '@bailiwick/notifications/stats/queries.ts';
import { createLog } from '@bailiwick/process';
import { type Database, openDatabase } from '@bailiwick/store';
import { assertRefused, bodyOf } from '../support/answers.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { describeOne, eventually, type Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { rowsOf } from '../support/store.ts';
import { makeEndpoint } from './endpoints.ts';

const byService = serviceOrigin('test');

type Numbers = { Delivered: number; Retried: number; Failed: number; MeanMs: number };
type Stats = {
  Endpoints: { Total: number; Failing: number; Disabled: number };
  Days: Numbers[];
  Hours: Numbers[];
};

describeOne('the figures of endpoints', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology, { BAILIWICK_RETRY_SCHEDULE: '0s,1s' });
  });
  after(() => stack?.stop());

  test('Webhooks_GetStats counts the attempts of all endpoints and of one, and no other tenant’s', async () => {
    const { token } = await signUp(stack);
    const tenant = await createTenant(stack, token);
    const owner = { stack, tenant, token };
    const statsOf = async (request: object, area = 'Webhooks') =>
      bodyOf(
        await stack.call(`${area}_GetStats`, { Tenant: tenant, ...request }, token),
      ) as unknown as Stats;
    const good = await makeEndpoint(owner, 'good', { EventTypes: ['group.*'] });
    const bad = await makeEndpoint(owner, 'bad?status=500', { EventTypes: ['group.*'] });
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant: tenant, Path: 'a' } }, token));
    const stats = await eventually('both results', async () => {
      const current = await statsOf({});
      const last = current.Days.at(-1);
      return last?.Delivered === 1 && last.Failed === 1 && current;
    });
    assert.deepEqual(stats.Endpoints, { Total: 2, Failing: 1, Disabled: 0 });
    assert.deepEqual([stats.Days.length, stats.Hours.length], [30, 48]);
    const together = (count: (hour: Numbers) => number) =>
      stats.Hours.reduce((sum, hour) => sum + count(hour), 0);
    assert.deepEqual([together((h) => h.Delivered), together((h) => h.Failed)], [1, 1]);
    const one = await statsOf({ ID: good.id });
    assert.deepEqual(
      [one.Days.at(-1)?.Delivered, one.Days.at(-1)?.Failed, one.Hours.length],
      [1, 0, 48],
    );
    const { Failed, Retried } = (await statsOf({ ID: bad.id })).Days.at(-1) ?? assert.fail();
    const rows = await rowsOf<{ status: string; count: number }>(
      stack,
      'select status, count(*)::int from notifications.delivery_attempt where endpoint = $1 group by 1 order by 1',
      [bad.id],
    );
    assert.deepEqual(
      rows,
      [
        { status: 'failed', count: Failed },
        { status: 'retry', count: Retried },
      ].filter(({ count }) => count > 0),
    );
    assert.equal((await statsOf({}, 'Chat')).Endpoints.Total, 0);

    const other = await signUp(stack);
    const theirs = await createTenant(stack, other.token);
    const foreign = await stack.call(
      'Webhooks_GetStats',
      { Tenant: theirs, ID: good.id },
      other.token,
    );
    assert.equal((bodyOf(foreign) as unknown as Stats).Days.at(-1)?.Delivered, 0);
    assertRefused(
      await stack.call('Webhooks_GetStats', { Tenant: tenant }, other.token),
      403,
      'permission_denied',
    );
  });
});

describe('the counts of attempts', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  before(async () => {
    testDatabase = await createTestDatabase();
    const { service, entities } = notificationsSchema;
    const log = createLog('test', () => {});
    database = openDatabase({ service, url: testDatabase.url, entities, poolSize: 8, log });
  });
  after(async () => {
    await database?.close();
    await testDatabase?.drop();
  });

  const tenant = 'tnt_counted';
  const attempt = (task: string, endpoint: string, more: object = {}) => ({
    task,
    attempt: 1,
    operation: 'Webhooks_Deliver',
    tenant,
    endpoint,
    event: '',
    type: 'group.created',
    delivery: task,
    status: 'delivered',
    statusCode: 200,
    error: '',
    message: '',
    durationMs: 10,
    startedAt: new Date(),
    nextAttemptAt: null,
    ...more,
  });

  test('attempts that processes settle at once, each twice, count once', async () => {
    const endpoints = ['whk_a', 'whk_b', 'whk_c'];
    const rows = Array.from({ length: 200 }, (_, at) =>
      attempt(createId('tsk'), endpoints[at % 3] ?? '', {
        durationMs: at % 3 === 0 ? 30 : 10,
        status: at % 2 === 0 ? 'delivered' : 'failed',
      }),
    );
    const batches = Array.from({ length: 25 }, (_, at) => rows.slice(8 * at, 8 * at + 8));
    await Promise.all(
      [...batches, ...batches.map((batch) => batch.toReversed())].map((batch) =>
        settleAsDone(database, byService, batch),
      ),
    );
    const { delivered, failed, meanMs, longestMs } =
      (await listDays(database, tenant, { all: 'whk' })).at(-1) ?? assert.fail();
    assert.deepEqual(
      { delivered, failed, longestMs },
      { delivered: 100, failed: 100, longestMs: 30 },
    );
    assert.equal(meanMs, Math.round((67 * 30 + 133 * 10) / 200));
    const hours = await listHours(database, tenant, { id: 'whk_a' });
    assert.equal(
      hours.reduce((sum, hour) => sum + hour.delivered + hour.failed, 0),
      67,
    );
  });

  test('mails, dropped attempts and other tenants are not counted, and old hours are deleted', async () => {
    const yesterday = new Date(Date.now() - 24 * 60 * 60 * 1000);
    const long = new Date(Date.now() - 40 * 24 * 60 * 60 * 1000);
    await settleAsDone(database, byService, [
      attempt('mail', ''),
      attempt('app', 'app_x'),
      attempt('dropped', 'slk_x', { status: 'dropped' }),
      attempt('foreign', 'slk_x', { tenant: 'tnt_other' }),
      attempt('own', 'slk_x', { startedAt: yesterday }),
      attempt('old', 'slk_x', { startedAt: long }),
    ]);
    const days = await listDays(database, tenant, { all: 'slk' });
    assert.deepEqual(
      days.slice(-3).map(({ delivered }) => delivered),
      [0, 1, 0],
    );
    assert.equal(
      await database.transaction({ call: serviceOrigin('test'), tenant: null }, (tx) =>
        deleteOldHours(tx, 100),
      ),
      1,
    );
  });
});
