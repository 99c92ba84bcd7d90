import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBroker } from '@bailiwick/broker';
import { serviceOrigin } from '@bailiwick/contract';
import { identitySchema } from '@bailiwick/identity/schema.ts';
import { beginSession } from '@bailiwick/identity/sessions/begin.ts';
import { UserEntity } from '@bailiwick/identity/users/entities.ts';
import {
  createHandover,
  createRecorder,
  OutboxEntity,
  record,
  startRelay,
} from '@bailiwick/outbox';
import { createLog } from '@bailiwick/process';
import { openDatabase } from '@bailiwick/store';
import { startTestBroker, type TestBroker, testOwner } from '../support/broker.ts';
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

/** The database and broker of a relay, as a process of a service opens them. */
async function openProcess(service: string, log = createLog('test', () => {})) {
  const broker = openBroker({ url: server.url, name: 'test', log });
  broker.claim(testOwner);
  const database = openDatabase({
    service,
    url: store.url,
    entities: [OutboxEntity],
    poolSize: 4,
    log,
  });
  await eventually('the broker', () => Promise.resolve(broker.isConnected()));
  return {
    broker,
    database,
    log,
    async close() {
      await broker.close();
      await database.close();
    },
  };
}

test('the relay publishes other changes once while one is too large for the broker', async () => {
  const lines: string[] = [];
  const log = createLog('test', (line) =>
    lines.push((JSON.parse(line) as { message: string }).message),
  );
  const { broker, database, close } = await openProcess('access', log);
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
  const relay = startRelay({ database, handover: createHandover(), broker, log, intervalMs: 20 });
  try {
    await eventually('the others', async () => (await waiting()).length === 1);
    // Enough for several rounds of the relay.
    await sleep(500);
    assert.deepEqual(await waiting(), ['evt_1']);
    assert.equal((await broker.states()).EVT.lastSeq, 4);
    assert.deepEqual(lines, ['a change is too large for the broker and stays in the outbox']);
  } finally {
    await relay.stop();
    await close();
  }
});

test('a commit that records a change wakes the relay, also outside of a call', async () => {
  const { broker, database, log, close } = await openProcess('identity');
  const published = async () => {
    const rows = await rowsOf(
      { databaseUrl: store.url },
      'select from identity.outbox where published_at is not null',
    );
    return rows.length;
  };
  const change = { tenant: '', type: 'user.updated', data: { ID: 'usr_1' }, targets: [] };
  const commit = () =>
    database.transaction({ call: serviceOrigin('identity', 'Test'), tenant: null }, async (tx) =>
      record(tx, change),
    );
  // Only its first look and the commits wake it.
  const relay = startRelay({
    database,
    handover: createHandover(),
    broker,
    log,
    intervalMs: 3_600_000,
  });
  try {
    for (const count of [1, 2, 3]) {
      await sleep(count * 20);
      await commit();
      await eventually('the change', async () => (await published()) === count);
    }
  } finally {
    await relay.stop();
    await close();
  }
});

test('two relays publish each event of a process once, and an old one that no process publishes', async () => {
  const messages: string[] = [];
  const open = async () => {
    const { broker, ...opened } = await openProcess('identity');
    const counting: typeof broker = {
      ...broker,
      publish(subject, body, id) {
        messages.push(id);
        return broker.publish(subject, body, id);
      },
    };
    const handover = createHandover();
    const record = createRecorder(opened.database, handover);
    return { ...opened, broker: counting, handover, record };
  };
  const replicas = [await open(), await open()] as const;
  const relays = replicas.map(({ database, handover, broker, log }) =>
    startRelay({ database, handover, broker, log, intervalMs: 20, pauseMs: 100 }),
  );
  const insert = (id: string, age: string) =>
    rowsOf(
      { databaseUrl: store.url },
      `insert into identity.outbox (id, for_tenant, type, event, audit, tasks, created_at)
       values ($1, '', 'a', '{}', '{}', '[]', now() - $2::interval)`,
      [id, age],
    );
  try {
    // The first round of a relay reads all rows.
    await sleep(500);
    const recorded: string[] = [];
    for (let count = 0; count < 60; count++) {
      const change = { tenant: '', type: 'user.signed_in', data: {}, targets: [] };
      for (const { record } of replicas)
        recorded.push(await record(serviceOrigin('identity', 'Test'), change));
      await sleep(10);
    }
    await eventually('the events', () => Promise.resolve(messages.length >= recorded.length));
    await sleep(300);
    assert.deepEqual(messages.toSorted(), recorded.toSorted());
    // Rows of a process that was killed, by its clock and by one that is an hour ahead.
    await insert('evt_0killed', '2 seconds');
    await insert('evt_0ahead', '-1 hour');
    await eventually('the old rows', () =>
      Promise.resolve(messages.includes('evt_0killed') && messages.includes('evt_0ahead')),
    );
  } finally {
    await Promise.all(relays.map((relay) => relay.stop()));
    await Promise.all(replicas.map(({ close }) => close()));
  }
});

test('a session that begins in a transaction wakes the relay with its commit', async () => {
  const { service, entities } = identitySchema;
  const log = createLog('test', () => {});
  const database = openDatabase({ service, url: store.url, entities, poolSize: 4, log });
  let commits = 0;
  database.onCommit(() => commits++);
  await rowsOf(
    { databaseUrl: store.url },
    `insert into identity.user_account (id, email, email_key, email_verified, name, given_name, family_name, picture, locale, status,
       external_id, metadata, created_at, updated_at)
     values ('usr_1', 'a@b.example', 'a@b.example', true, '', '', '', '', '', 'active', '', '{}', now(), now())`,
  );
  try {
    await database.transaction({ call: serviceOrigin('test'), tenant: null }, async (tx) => {
      const user = await tx.em.findOneOrFail(UserEntity, { id: 'usr_1' });
      await beginSession(tx, serviceOrigin('identity', 'Test'), user, {
        authMethod: 'sso',
        furtherMethods: [],
        assurance: 'aal1',
        provider: '',
        ssoTenant: '',
        ip: '',
        userAgent: '',
      });
    });
    assert.equal(commits, 1);
  } finally {
    await database.close();
  }
});
