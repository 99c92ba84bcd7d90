import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type AttemptFilter, listAttempts } from '@bailiwick/notifications/messages/queries.ts';
import { notificationsSchema } from '@bailiwick/notifications/schema.ts';
import type { AnyStatement, Database } from '@bailiwick/store';
import pg from 'pg';
import { openTestDatabase } from '../../support/database.ts';
import { rowsOf } from '../../support/store.ts';

const tenant = 'tnt_busy';
const everything: AttemptFilter = {
  prefix: 'slk_',
  endpoint: null,
  status: null,
  type: null,
  since: null,
  until: null,
};

type Plan = {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Index Name'?: string;
  Plans?: Plan[];
};

/** The number of rows that a plan has read, including rows that a filter removed. */
function readBy(plan: Plan): number {
  const own = plan.Plans
    ? 0
    : (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
  return own + (plan.Plans ?? []).reduce((sum, part) => sum + readBy(part), 0);
}

describe('the delivery attempts of a tenant', () => {
  let testDatabase: Awaited<ReturnType<typeof openTestDatabase>>;
  let database: Database;
  before(async () => {
    testDatabase = await openTestDatabase(notificationsSchema);
    database = testDatabase.database;
  });
  after(() => testDatabase?.drop());

  const store = (text: string) => rowsOf({ databaseUrl: testDatabase.url }, text);
  /** Inserts attempts at an endpoint within the last twenty days, none newer than `days`. */
  const attempt = (endpoint: string, count: number, days = 0) =>
    store(`
      insert into notifications.delivery_attempt (task, attempt, operation, tenant, endpoint, event, type, delivery, status, status_code, error, message, duration_ms, started_at)
      select '${endpoint}' || n, 1, 'Deliver', '${tenant}', '${endpoint}', '', 'group.created', '', 'ok', 200, '', '', 1,
        now() - interval '${days} days' - n * interval '10 days' / ${count} from generate_series(1, ${count}) n`);

  const listed = async (filter: Partial<AttemptFilter> = {}) => {
    const rows = await listAttempts(
      database,
      tenant,
      { ...everything, ...filter },
      { limit: 51, after: undefined },
    );
    return rows.map(({ task }) => task);
  };

  /** The rows read for one list, with the generic plan that serves all parameter values. */
  async function read(prefix: string): Promise<number> {
    let captured:
      | { statement: AnyStatement; values: ReadonlyArray<string | number | null> }
      | undefined;
    const spy = {
      query: (statement: AnyStatement, values: ReadonlyArray<string | number | null>) => (
        (captured = { statement, values }), Promise.resolve([])
      ),
    } as unknown as Database;
    await listAttempts(spy, tenant, { ...everything, prefix }, { limit: 51, after: undefined });
    const literals = captured?.values
      .map((parameter) => (parameter === null ? 'null' : `'${parameter}'`))
      .join(', ');
    const client = new pg.Client({ connectionString: testDatabase.url });
    await client.connect();
    try {
      await client.query(
        `set search_path = notifications; set plan_cache_mode = force_generic_plan; prepare listing as ${captured?.statement.text}`,
      );
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (analyze, format json) execute listing (${literals})`,
      );
      return readBy(rows[0]?.['QUERY PLAN'][0].Plan as Plan);
    } finally {
      await client.end();
    }
  }

  test('a list of one endpoint kind reads no rows of the other kind, however many there are', async () => {
    for (const endpoint of ['whk_a', 'whk_b']) await attempt(endpoint, 50_000);
    await store('analyze notifications.delivery_attempt');
    assert.deepEqual(await listed(), []);
    assert.ok((await read('slk_')) < 10, 'none');
    await attempt('slk_b', 3, 10);
    await attempt('slk_a', 2);
    await store('analyze notifications.delivery_attempt');
    assert.deepEqual(await listed(), ['slk_a1', 'slk_a2', 'slk_b1', 'slk_b2', 'slk_b3']);
    assert.deepEqual(await listed({ endpoint: 'slk_b' }), ['slk_b1', 'slk_b2', 'slk_b3']);
    assert.ok((await read('slk_')) < 20, 'few');
    const webhooks = await listed({ prefix: 'whk_' });
    assert.deepEqual(webhooks.slice(0, 4).sort(), ['whk_a1', 'whk_a2', 'whk_b1', 'whk_b2']);
    assert.equal(webhooks.length, 51);
    assert.ok((await read('whk_')) < 500, 'reads no more than the page');
  });
});
