import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { accessSchema } from '@bailiwick/access/schema.ts';
import { serviceOrigin } from '@bailiwick/contract';
import { createLog } from '@bailiwick/process';
import { type Database, databaseRole, openDatabase, type Statement } from '@bailiwick/store';
import { createTestDatabase, type TestDatabase } from './support/database.ts';
import { eventually } from './support/harness.ts';
import { type Standby, startStandby } from './support/standby.ts';

// A service's database with a real streaming replica: who runs a statement.

const whoReads: Statement<
  { replica: boolean; role: string; schema: string; readOnly: string },
  []
> = {
  name: 'access.who_reads',
  text: `select pg_is_in_recovery() as replica, current_user::text as role, current_schema()::text as schema,
           current_setting('transaction_read_only') as "readOnly"`,
};

/** Sleeps on a replica only. */
const sleeps: Statement<{ replica: boolean }, []> = {
  name: 'access.sleeps',
  text: `select pg_is_in_recovery() as replica, case when pg_is_in_recovery() then pg_sleep(60)::text end`,
};

describe('a database with a replica', () => {
  let created: TestDatabase;
  let standby: Standby;
  let database: Database;
  const opened: Database[] = [];
  const warnings: string[] = [];

  const open = (readUrl?: string): Database => {
    const { service, entities } = accessSchema;
    const log = createLog('test', (line) => warnings.push(line));
    const one = openDatabase({ service, entities, url: created.url, readUrl, poolSize: 2, log });
    opened.push(one);
    return one;
  };
  before(async () => {
    created = await createTestDatabase({ ownServer: true });
    standby = await startStandby(created);
    database = open(standby.url);
  });
  after(async () => {
    await Promise.all(opened.map((one) => one.close()));
    await standby?.stop();
    await created?.drop();
  });

  /** The position after a change. */
  async function change() {
    const call = serviceOrigin('access');
    await database.transaction({ call, tenant: null }, (tx) =>
      tx.query(
        `insert into daily_count (tenant, kind, day, count) values ('', 'sign_in', current_date, 1)
         on conflict (tenant, kind, day) do update set count = daily_count.count + 1`,
        [],
      ),
    );
    const position = await database.readPosition?.();
    return position ?? assert.fail('no position');
  }

  async function isReplica(at: Parameters<Database['readerAt']>[0], from = database) {
    const [row] = await from.readerAt(at).query(whoReads, []);
    return row?.replica;
  }
  const usesReplica = (at: Parameters<Database['readerAt']>[0]) =>
    eventually('the replica to be read', () => isReplica(at));

  test('the replica runs a read at a position that it has replayed, as the same role and read-only', async () => {
    const position = await change();
    await standby.caughtUp();
    assert.deepEqual(await database.readerAt(position).query(whoReads, []), [
      {
        replica: true,
        role: databaseRole('access', created.url),
        schema: 'access',
        readOnly: 'on',
      },
    ]);
  });

  test('without a position, and for a position of another server or timeline, the primary runs it', async () => {
    const position = await change();
    await standby.caughtUp();
    assert.equal(await isReplica(position), true);
    assert.equal(await isReplica(undefined), false);
    const later = position.server.replace('/00000001/', '/00000002/');
    assert.notEqual(later, position.server);
    for (const server of ['1', later])
      assert.equal(await isReplica({ ...position, server }), false, server);
    const [row] = await database.query(whoReads, []);
    assert.equal(row?.replica, false);
  });

  test('a position that the replica has not replayed is read from the primary at once, also the rest of the call', async () => {
    const earlier = await change();
    await standby.caughtUp();
    await standby.pause();
    try {
      const later = await change();
      const began = performance.now();
      const reader = database.readerAt(later);
      const [row] = await reader.query(whoReads, []);
      assert.equal(row?.replica, false);
      assert.equal(await isReplica({ ...later, lsn: 2n ** 64n - 1n }), false);
      assert.ok(performance.now() - began < 1000, 'nothing waits for the replica');
      assert.equal(await isReplica(earlier), true);
      await standby.resume();
      await usesReplica(later);
      const [next] = await reader.query(whoReads, []);
      assert.equal(next?.replica, false, 'a call never goes back to an earlier state');
    } finally {
      await standby.resume();
    }
  });

  test('a replica that is killed leaves its reads to the primary, and takes them again once it is back', async () => {
    const position = await change();
    await standby.caughtUp();
    const reader = database.readerAt(position);
    const [first] = await reader.query(whoReads, []);
    assert.equal(first?.replica, true);
    await standby.kill();
    const [second] = await reader.query(whoReads, []);
    assert.equal(second?.replica, false);
    assert.equal(await isReplica(position), false);
    await standby.start();
    await usesReplica(await change());
  });

  test('a replica that is killed while it runs a statement leaves that to the primary', async () => {
    const other = open(standby.url);
    const position = await change();
    await standby.caughtUp();
    const answer = other.readerAt(position).query(sleeps, []);
    await eventually('the statement to run', () => standby.runs('pg_sleep'));
    await standby.kill();
    const [row] = await answer;
    assert.equal(row?.replica, false);
    await standby.start();
    await usesReplica(await change());
  });

  test('a statement that takes long is left to the primary, and ends on the replica', async () => {
    const other = open(standby.url);
    const position = await change();
    await standby.caughtUp();
    const began = performance.now();
    const [row] = await other.readerAt(position).query(sleeps, []);
    assert.equal(row?.replica, false);
    assert.ok(performance.now() - began < 2500);
    assert.equal(await isReplica(position, other), false, 'the replica is left alone');
    await eventually('the statement to end', async () => !(await standby.runs('pg_sleep')));
  });

  test('another database of the replica is not read', async () => {
    const position = await change();
    await standby.caughtUp();
    const url = new URL(standby.url);
    url.pathname = '/postgres';
    warnings.length = 0;
    assert.equal(await isReplica(position, open(url.href)), false);
    assert.deepEqual(warnings, []);
  });

  test('after a failure the primary answers for a while, and then one call alone tries the replica', async () => {
    let connections = 0;
    const silent = createServer(() => connections++).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    try {
      const url = new URL(created.url);
      url.port = String((silent.address() as AddressInfo).port);
      const other = open(url.href);
      const position = await change();
      const calls = () => Promise.all([1, 2, 3].map(() => isReplica(position, other)));
      assert.deepEqual(await calls(), [false, false, false]);
      const before = connections;
      assert.deepEqual(await calls(), [false, false, false]);
      assert.equal(connections, before);
      await eventually('the next connection', async () => {
        await calls();
        return connections > before;
      });
      assert.equal(connections, before + 1);
    } finally {
      silent.close();
    }
  });

  test('a server that is no replica is not read, and neither is an address where none answers', async () => {
    const position = await change();
    const nowhere = new URL(created.url);
    nowhere.port = '1';
    for (const url of [created.url, nowhere.href]) {
      const other = open(url);
      const began = performance.now();
      assert.equal(await isReplica(position, other), false, url);
      assert.ok(performance.now() - began < 2000);
    }
  });

  test('a statement that writes is refused, and without a replica there is no position', async () => {
    const writing: Statement<never, []> = {
      name: 'access.test_write',
      text: 'delete from daily_count',
    };
    const position = await change();
    await assert.rejects(database.readerAt(position).query(writing, []), /writes/);
    assert.equal(open().readPosition, undefined);
  });

  test('a replica that replays no more commits is not used for longer than ten seconds', async () => {
    const position = await change();
    const committedAt = performance.now();
    await usesReplica(position);
    await standby.pause();
    let lastRead = 0;
    try {
      await eventually('the primary to take over', async () => {
        const began = performance.now();
        if (!(await isReplica(position))) return true;
        lastRead = began;
        return false;
      });
    } finally {
      await standby.resume();
    }
    assert.ok(lastRead - committedAt < 10_000, `${lastRead - committedAt} ms`);
    await usesReplica(await change());
  });
});
