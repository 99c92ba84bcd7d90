import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceOrigin } from '@bailiwick/contract';
import { DekEntity } from '@bailiwick/keys';
import { notificationsSchema } from '@bailiwick/notifications/schema.ts';
import { type Database, type Statement, writeLast } from '@bailiwick/store';
import pg from 'pg';
import { openTestDatabase } from './support/database.ts';
import { eventually } from './support/harness.ts';

describe('orm', () => {
  let testDatabase: Awaited<ReturnType<typeof openTestDatabase>>;
  let database: Database;
  before(async () => {
    testDatabase = await openTestDatabase(notificationsSchema);
    database = testDatabase.database;
  });
  after(() => testDatabase?.drop());

  const dek = (tenant: string, id: string) => ({
    tenant,
    id,
    kek: 'k1',
    wrapped: new Uint8Array([1]),
    createdAt: new Date(),
  });

  test('connections that the server terminates return to the pool', async () => {
    const killer = new pg.Client({ connectionString: testDatabase.url });
    await killer.connect();
    let cut = 0;
    for (const deadline = Date.now() + 3000; cut < 60 && Date.now() < deadline; ) {
      const running = Promise.allSettled(
        Array.from({ length: 8 }, () =>
          database.transaction({ call: serviceOrigin('test'), tenant: null }, (tx) =>
            tx.query('select 1', []),
          ),
        ),
      );
      await sleep(Math.random() * 3);
      const killed = await killer.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'bailiwick-notifications%' and datname = current_database()`,
      );
      cut += killed.rowCount ?? 0;
      await Promise.race([running, sleep(2000).then(() => assert.fail('the pool is used up'))]);
    }
    await killer.end();
    assert.ok(cut > 10, `${cut} connections were cut`);
    // The driver may not have noticed the last end of an idle connection yet.
    await eventually('a working pool', () =>
      Promise.all(
        [1, 2, 3].map(() =>
          database.transaction({ call: serviceOrigin('test'), tenant: null }, (tx) =>
            tx.query('select 1', []),
          ),
        ),
      ).catch(() => undefined),
    );
  });

  test('a transaction prepares the statements of a queries.ts, once per connection', async () => {
    const one: Statement<{ one: number }, []> = { name: 'test.one', text: 'select 1 as one' };
    const plans = await database.transaction(
      { call: serviceOrigin('test'), tenant: null },
      async (tx) => {
        await tx.query(one, []);
        await tx.query(one, []);
        await tx.query('select 2 as two', []);
        return tx.query<{ name: string; count: number }>(
          "select name, (generic_plans + custom_plans)::int as count from pg_prepared_statements where statement like 'select _ as %'",
          [],
        );
      },
    );
    assert.deepEqual(plans, [{ name: 'test.one', count: 2 }]);
  });

  test('rows that are written last are written together, without those of an undone savepoint', async () => {
    const written: unknown[] = [];
    const write = async (_run: unknown, rows: readonly string[]) => written.push(rows);
    const call = serviceOrigin('test');
    await database.transaction({ call, tenant: null }, async (tx) => {
      writeLast(tx, write, 'first');
      await tx.savepoint(call, async (nested) => writeLast(nested, write, 'kept'));
      await assert.rejects(
        tx.savepoint(call, async (nested) => {
          writeLast(nested, write, 'undone');
          throw new Error('no');
        }),
        /no/,
      );
      writeLast(tx, write, 'last');
      assert.deepEqual(written, []);
    });
    assert.deepEqual(written, [['first', 'kept', 'last']]);
  });

  test('a transaction reaches tenant-scoped rows of its own tenant only, and none without a tenant', async () => {
    await database.transaction({ call: serviceOrigin('test'), tenant: 'tnt_a' }, async (tx) =>
      tx.em.persist(tx.em.create(DekEntity, dek('tnt_a', 'dek_1'))),
    );
    await assert.rejects(
      database.transaction({ call: serviceOrigin('test'), tenant: null }, (tx) =>
        tx.em.find(DekEntity, {}),
      ),
      /filter 'tenant'/,
    );
    await database.transaction({ call: serviceOrigin('test'), tenant: 'tnt_b' }, async (tx) => {
      assert.deepEqual(await tx.em.find(DekEntity, {}), []);
      assert.equal(await tx.em.findOne(DekEntity, { tenant: 'tnt_a', id: 'dek_1' }), null);
      assert.equal(await tx.em.nativeDelete(DekEntity, { id: 'dek_1' }), 0);
    });
    await assert.rejects(
      database.transaction({ call: serviceOrigin('test'), tenant: 'tnt_b' }, async (tx) =>
        tx.em.persist(tx.em.create(DekEntity, dek('tnt_a', 'dek_2'))),
      ),
      /another tenant/,
    );
    assert.equal(
      await database.transaction({ call: serviceOrigin('test'), tenant: 'tnt_a' }, (tx) =>
        tx.em.count(DekEntity, {}),
      ),
      1,
    );
  });

  test('a row cannot move to another tenant', async () => {
    const moved = database.transaction(
      { call: serviceOrigin('test'), tenant: 'tnt_a' },
      async (tx) => {
        const row = await tx.em.findOneOrFail(DekEntity, { id: 'dek_1' });
        row.tenant = 'tnt_c';
      },
    );
    await assert.rejects(moved, /another tenant/);
  });

  test('values are bound and not part of the statement', async () => {
    const hostile = `x'; drop table dek; -- $1 ? \\`;
    const [row] = await database.transaction({ call: serviceOrigin('test'), tenant: null }, (tx) =>
      tx.query<{ text: string }>('select $1::text as text', [hostile]),
    );
    assert.equal(row?.text, hostile);
  });

  test('a failed transaction writes nothing', async () => {
    const failed = database.transaction(
      { call: serviceOrigin('test'), tenant: 'tnt_d' },
      async (tx) => {
        tx.em.persist(tx.em.create(DekEntity, dek('tnt_d', 'dek_1')));
        await tx.em.flush();
        throw new Error('no');
      },
    );
    await assert.rejects(failed, /no/);
    assert.equal(
      await database.transaction({ call: serviceOrigin('test'), tenant: 'tnt_d' }, (tx) =>
        tx.em.count(DekEntity, {}),
      ),
      0,
    );
  });
});
