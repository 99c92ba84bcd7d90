import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@bailiwick/database';
import { OutboxEntity, openBroker, startRelay } from '@bailiwick/events';
import { createLog } from '@bailiwick/telemetry';
import { startTestBroker, type TestBroker } from '../support/broker.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-outbox-'));
let server: TestBroker;
let store: TestDatabase;

before(async () => {
  [server, store] = await Promise.all([
    startTestBroker(path.join(folder, 'nats')),
    createTestDatabase(),
  ]);
});
after(async () => {
  await Promise.all([server?.remove(), store?.drop()]);
  rmSync(folder, { recursive: true, force: true });
});

test('the relay publishes other changes once while one is too large for the broker', async () => {
  const lines: string[] = [];
  const log = createLog('test', (line) =>
    lines.push((JSON.parse(line) as { message: string }).message),
  );
  const broker = openBroker({ url: server.url, name: 'test', log });
  const database = openDatabase({
    service: 'access',
    url: store.url,
    entities: [OutboxEntity],
    poolSize: 4,
    log,
  });
  const waiting = async () => {
    const rows = await rowsOf<{ id: string }>(
      { databaseUrl: store.url },
      'select id from access.outbox where published_at is null order by id',
    );
    return rows.map(({ id }) => id);
  };
  await rowsOf(
    { databaseUrl: store.url },
    `insert into access.outbox (id, for_tenant, type, event, audit, tasks, created_at)
     select 'evt_' || n, 'tnt_1', 'group.created', case when n = 1 then repeat('x', 5000000) else '{}' end, '{}', '[]', now() from generate_series(1, 5) as n`,
  );
  await eventually('the broker', () => Promise.resolve(broker.isConnected()));
  const relay = startRelay({ database, broker, log, intervalMs: 20 });
  try {
    await eventually('the others', async () => (await waiting()).length === 1);
    // Enough for several rounds of the relay.
    await sleep(500);
    assert.deepEqual(await waiting(), ['evt_1']);
    assert.equal((await broker.states()).EVT.lastSeq, 4);
    assert.deepEqual(lines, ['a change is too large for the broker and stays in the outbox']);
  } finally {
    await relay.stop();
    await broker.close();
    await database.close();
  }
});
