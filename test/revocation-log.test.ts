import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { accessSchema } from '@bailiwick/access/schema.ts';
import { serviceOrigin } from '@bailiwick/contract';
import { record, recordRevocation } from '@bailiwick/outbox';
import { holdersIn, renewHolder, sweepRevocations, type Transaction } from '@bailiwick/store';
import pg from 'pg';
import { openTestDatabase } from './support/database.ts';

// The log of revoked keys of a service, and its holders, in PostgreSQL.

describe('the log of revocations', () => {
  let opened: Awaited<ReturnType<typeof openTestDatabase>>;
  let admin: pg.Client;
  let other: pg.Client;
  before(async () => {
    opened = await openTestDatabase(accessSchema);
    const connection = { connectionString: opened.url, options: '-c search_path=access' };
    [admin, other] = [new pg.Client(connection), new pg.Client(connection)];
    await Promise.all([admin.connect(), other.connect()]);
  });
  after(async () => {
    await Promise.all([admin?.end(), other?.end()]);
    await opened?.drop();
  });

  let holders = 0;
  /** A holder that applies each answer. */
  function createHolder() {
    const holder = `holder ${++holders}`;
    let snapshot = '';
    const renew = (from = snapshot) =>
      renewHolder(opened.database, accessSchema, { holder, after: from });
    return {
      holder,
      renew,
      async next() {
        const answer = await renew();
        ({ snapshot } = answer);
        return answer;
      },
      keys: async () => {
        const answer = await renew();
        ({ snapshot } = answer);
        assert.equal(answer.reset, false);
        return answer.keys.toSorted();
      },
    };
  }

  const transact = <T>(work: (tx: Transaction) => Promise<T>) =>
    opened.database.transaction({ call: serviceOrigin('access'), tenant: null }, work);
  const revoke = (...keys: Array<`user:${string}`>) =>
    transact(async (tx) => recordRevocation(tx, keys));

  test('brings each key once, in any order in which transactions began and committed', async () => {
    const { next, keys } = createHolder();
    await next();
    await other.query("begin; insert into revocation (keys) values ('{user:late}')");
    await revoke('user:a');
    assert.deepEqual(await keys(), ['user:a']);
    await revoke('user:b', 'user:c');
    assert.deepEqual(await keys(), ['user:b', 'user:c']);
    await other.query('commit');
    assert.deepEqual(await keys(), ['user:late']);
    assert.deepEqual(await keys(), []);
  });

  test('brings a lost answer again, and each holder its own', async () => {
    const [one, two] = [createHolder(), createHolder()];
    await Promise.all([one.next(), two.next()]);
    await revoke('user:a');
    assert.deepEqual((await one.renew()).keys, ['user:a'], 'this answer is lost');
    await revoke('user:b');
    assert.deepEqual(await one.keys(), ['user:a', 'user:b']);
    assert.deepEqual(await one.keys(), []);
    assert.deepEqual(await two.keys(), ['user:a', 'user:b']);
  });

  test('has the keys of events and of other changes, and none of those that are rolled back', async () => {
    const { next, keys } = createHolder();
    await next();
    await transact(async (tx) => {
      const targets = [{ Type: 'user', ID: 'usr_1', Name: '' }];
      record(tx, { tenant: 'tnt_1', type: 'grant.removed', data: {}, targets });
      const failing = tx.savepoint(tx.call, async (nested) => {
        recordRevocation(nested, ['user:undone']);
        await nested.query('select 1/0', []);
      });
      await failing.catch(() => {});
      await tx.savepoint(tx.call, async (nested) => recordRevocation(nested, ['user:nested']));
    });
    const failing = transact(async (tx) => {
      recordRevocation(tx, ['user:undone']);
      throw new Error('no');
    });
    await assert.rejects(failing);
    assert.deepEqual(await keys(), ['user:nested', 'user:usr_1']);
  });

  test('resets a holder that it does not know, or not as it is', async () => {
    const { holder, next, renew } = createHolder();
    assert.deepEqual([(await next()).reset, (await next()).reset], [true, false]);
    await admin.query(
      "update revocation_holder set renewed_at = now() - interval '2.1 s' where id = $1",
      [holder],
    );
    assert.equal((await next()).reset, true, 'its lease had ended');
    await admin.query('delete from revocation_holder where id = $1', [holder]);
    assert.equal((await next()).reset, true);
    const { rows } = await admin.query<{ beyond: string }>(
      "select format('%s:%1$s:', pg_snapshot_xmax(pg_current_snapshot())::text::int8 + 1000) as beyond",
    );
    assert.equal((await renew(rows[0]?.beyond)).reset, true, 'of a database that was restored');
    assert.equal((await next()).reset, false);
    // A restore to a moment ago: the row is fresh, and knows less than the holder.
    await revoke('user:a');
    await next();
    await admin.query("update revocation_holder set after = '3:3:' where id = $1", [holder]);
    assert.equal((await next()).reset, true);
  });

  test('resets a holder that would have to drop more than 10,000 keys', async () => {
    const { next } = createHolder();
    await next();
    await admin.query(
      "insert into revocation (keys) select array_agg('user:' || n) from generate_series(1, 10001) n",
    );
    const { reset, keys } = await next();
    assert.deepEqual([reset, keys], [true, []]);
  });

  test('names the holders whose leases may hold', async () => {
    const { fresh } = holdersIn(opened.database);
    const [one, gone] = [createHolder(), createHolder()];
    await Promise.all([one.next(), gone.next()]);
    await admin.query(
      "update revocation_holder set renewed_at = now() - interval '2.2 s' where id = $1",
      [gone.holder],
    );
    const ids = await fresh();
    assert.ok(ids.includes(one.holder));
    assert.ok(!ids.includes(gone.holder));
  });

  test('does not wait for a deaf holder once that holder must know it', async () => {
    const { fresh, markDeaf } = holdersIn(opened.database);
    const { holder, next } = createHolder();
    await next();
    await markDeaf([holder]);
    assert.ok((await fresh()).includes(holder), 'its lease may hold');
    assert.equal((await next()).deaf, true);
    const setLeft = (seconds: number) =>
      admin.query(
        "update revocation_holder set deaf_until = now() + $2 * interval '1 s', renewed_at = now() where id = $1",
        [holder, seconds],
      );
    await setLeft(27);
    await markDeaf([holder]);
    assert.ok(!(await fresh()).includes(holder), 'it caches nothing');
    assert.equal((await next()).deaf, true);
    await setLeft(-1);
    assert.ok((await fresh()).includes(holder));
    assert.equal((await next()).deaf, false);
  });

  test('keeps keys for ten minutes, and holders for one', async () => {
    await admin.query("update revocation set created_at = now() - interval '11 minutes'");
    await admin.query("update revocation_holder set renewed_at = now() - interval '2 minutes'");
    const { next, keys } = createHolder();
    await next();
    await revoke('user:young');
    await admin.query(
      "update revocation set created_at = now() - interval '9 minutes' where keys = '{user:young}'",
    );
    await sweepRevocations(opened.database);
    const count = async (table: string) =>
      (await admin.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0]?.n;
    assert.deepEqual([await count('revocation'), await count('revocation_holder')], [1, 1]);
    assert.deepEqual(await keys(), ['user:young']);
  });
});
