import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FreshRow, OutboxRow } from '@bailiwick/outbox';
import { createLog } from '@bailiwick/process';
import type { Run } from '@bailiwick/store';
import { insertWithTasks } from './at-once.ts';
import { readEvent } from './event.ts';
import { type FanoutDeps, fanOut } from './fanout.ts';
import { createLaneQuotas } from './lane-quotas.ts';

const createdAt = new Date('2026-01-01T00:00:00.000Z');

const row = (id: string, forTenant = 'tnt_1'): OutboxRow => ({
  id,
  forTenant,
  type: 'report.finished',
  event: JSON.stringify({
    id,
    type: 'report.finished',
    timestamp: createdAt.toISOString(),
    tenant: forTenant,
    data: { ID: 'whk_1', Email: 'ada@example.com' },
  }),
  audit: '{}',
  tasks: [],
  traceparent: '',
  createdAt,
  publishedAt: null,
  streamSeq: null,
});

const endpoint = (id: string, more: object = {}) => ({
  tenant: 'tnt_1',
  id,
  active: true,
  eventTypes: [] as string[],
  kind: '',
  createdAt: '2026-01-01 00:00:00+00',
  ...more,
});

/** Collects what both ways publish and record for these endpoints. */
function createPlace(endpoints: ReadonlyArray<ReturnType<typeof endpoint>>) {
  const published: unknown[] = [];
  const deps = {
    broker: { publish: async (...message: unknown[]) => published.push(message) },
    findEndpoints: async (tenant: string) => endpoints.filter((one) => one.tenant === tenant),
    noteUnsent: async ({ task, status }: { task: string; status: string }) =>
      published.push([task, status]),
    quotas: createLaneQuotas(),
    log: createLog('test', () => {}),
  } as unknown as FanoutDeps;
  const run = (async () => endpoints) as unknown as Run;
  return {
    deps,
    published,
    insert: (rows: readonly OutboxRow[]) => insertWithTasks(deps)(run, rows),
  };
}

async function makeAll(rows: readonly FreshRow[]): Promise<void> {
  for (const { makeTasks } of rows) await makeTasks?.(false);
}

test('the tasks are those of fan-out, under its message ids, so that the broker drops a second one', async () => {
  const all = [
    endpoint('whk_1'),
    endpoint('whk_2', { eventTypes: ['report.*'] }),
    endpoint('whk_3', { eventTypes: ['group.*'] }),
    endpoint('whk_4', { active: false }),
    endpoint('whk_5', { createdAt: '2026-01-01 00:01:00+00' }),
    endpoint('whk_6', { tenant: 'tnt_2' }),
    endpoint('slk_1', { kind: 'slack' }),
  ];
  const [atOnce, byFanout] = [createPlace(all), createPlace(all)];
  const rows = [row('evt_1'), row('evt_2', 'tnt_2')];
  await makeAll(await atOnce.insert(rows));
  for (const { event, audit } of rows) {
    const read = readEvent(JSON.stringify({ event, audit: JSON.parse(audit) }));
    assert.ok(read);
    await fanOut(byFanout.deps, read);
  }
  assert.equal(atOnce.published.length, 5);
  assert.deepEqual(atOnce.published, byFanout.published);
});

test('an event that no endpoint wants is marked as well', async () => {
  const { insert, published } = createPlace([]);
  const rows = await insert([row('evt_1')]);
  await makeAll(rows);
  assert.deepEqual([rows.map(({ makeTasks }) => typeof makeTasks), published], [['function'], []]);
});

test('more than 100 tasks of an event, or 1000 of a batch, are left to fan-out', async () => {
  const madeFor = async (endpoints: number, events: number) => {
    const all = Array.from({ length: endpoints }, (_, index) => endpoint(`whk_${index}`));
    const rows = Array.from({ length: events }, (_, index) => row(`evt_${index}`));
    const fresh = await createPlace(all).insert(rows);
    return fresh.filter(({ makeTasks }) => makeTasks).length;
  };
  assert.deepEqual(
    await Promise.all([madeFor(100, 1), madeFor(101, 1), madeFor(10, 100), madeFor(10, 101)]),
    [1, 0, 100, 0],
  );
});
