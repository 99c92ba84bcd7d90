import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { notificationsSchema } from '@bailiwick/notifications/schema.ts';
import { sealedRecords } from '@bailiwick/notifications/sealed.ts';
import { WebhookEndpointEntity } from '@bailiwick/notifications/webhooks/entities.ts';
import { secretContext } from '@bailiwick/notifications/webhooks/record.ts';
import { DekEntity } from '@bailiwick/shared/keys/entities.ts';
import { countByKek } from '@bailiwick/shared/keys/queries.ts';
import { execute } from '@bailiwick/shared/orm.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { type Instance, openInstance, ringLine, ringService } from './instance.ts';

const nobody = () => {};

describe('the rotation of keys', () => {
  let testDatabase: TestDatabase;
  const opened: Instance[] = [];
  let count = 0;
  const newTenant = () => `tnt_${++count}`;
  before(async () => {
    testDatabase = await createTestDatabase();
  });
  afterEach(async () => {
    for (const { database, close } of opened.splice(0)) {
      for (const table of ['dek', 'webhook_endpoint'])
        await database.query({ name: `empty_${table}`, text: `delete from ${table}` }, []);
      await close();
    }
  });
  after(() => testDatabase?.drop());

  function open(options: Omit<Parameters<typeof openInstance>[0], 'url'>): Instance {
    const instance = openInstance({ url: testDatabase.url, ...options });
    opened.push(instance);
    return instance;
  }
  const keysOf = ({ database }: Instance, tenant: string) =>
    database.transaction(tenant, (em) =>
      em.find(DekEntity, { tenant }, { orderBy: { id: 'asc' } }),
    );

  test('the data keys are wrapped by a new key-encryption key, and the old one can go', async () => {
    const [k1, k2] = [ringLine('k1'), ringLine('k2')];
    const old = open({ service: ringService(k1, k2) });
    const tenants = Array.from({ length: 45 }, newTenant);
    const ids = await Promise.all(tenants.map((tenant) => old.save(tenant, `of ${tenant}`)));
    const next = open({ service: ringService(k2, k1) });
    await Promise.all([next.rewrap(), next.rewrap()]);
    assert.deepEqual(await countByKek(next.database), [{ kek: 'k2', count: 45 }]);
    const alone = open({ service: ringService(k2) });
    for (const [index, tenant] of tenants.entries())
      assert.equal(await alone.read(tenant, ids[index] ?? ''), `of ${tenant}`);
  });

  test('a data key that cannot be unwrapped is told of, and keeps no other from being wrapped anew', async () => {
    const [lost, k1, k2] = [ringLine('lost'), ringLine('k1'), ringLine('k2')];
    const [first, second] = [newTenant(), newTenant()];
    await open({ service: ringService(lost) }).save(first, 'gone');
    await open({ service: ringService(k1) }).save(second, 'here');
    const next = open({ service: ringService(k2, k1) });
    await next.rewrap();
    assert.deepEqual(await countByKek(next.database), [
      { kek: 'k2', count: 1 },
      { kek: 'lost', count: 1 },
    ]);
    assert.match(next.lines.join(), /could not be wrapped anew.*the key ring has no key lost/);
  });

  test('a new data key seals from then on, what the old one sealed is sealed anew, and the old one goes', async () => {
    const service = ringService(ringLine('k1'));
    const one = open({ service, graceMs: 50 });
    const tenant = newTenant();
    const ids: string[] = [];
    while (ids.length < 230)
      ids.push(
        ...(await Promise.all(
          Array.from({ length: 23 }, (_, index) =>
            one.save(tenant, `secret ${ids.length + index}`),
          ),
        )),
      );
    const id = await one.keys.replace(tenant, nobody);
    one.keys.forget(tenant);
    assert.equal((await one.keys.seal(tenant, Buffer.from('x'), ['a'])).dekId, id);
    await one.reseal();
    for (const [index, endpoint] of ids.entries()) {
      assert.equal((await one.rowOf(tenant, endpoint)).dekId, id);
      assert.equal(await one.read(tenant, endpoint), `secret ${index}`);
    }
    const [old, current] = await keysOf(one, tenant);
    assert.ok(old?.unusedSince, 'an unused key is kept for its grace');
    assert.equal(current?.id, id);
    await new Promise((resolve) => setTimeout(resolve, 60));
    await one.reseal();
    assert.deepEqual(
      (await keysOf(one, tenant)).map((key) => key.id),
      [id],
    );
  });

  test('a record that a process seals with the key it remembers is sealed anew before that key goes', async () => {
    const service = ringService(ringLine('k1'));
    const [one, other] = [open({ service }), open({ service })];
    const tenant = newTenant();
    await other.save(tenant, 'earlier');
    const id = await one.keys.replace(tenant, nobody);
    await one.reseal();
    const late = await other.save(tenant, 'late');
    assert.notEqual(
      (await one.rowOf(tenant, late)).dekId,
      id,
      'the other process was not told of the new key',
    );
    await one.reseal();
    assert.equal(
      (await keysOf(one, tenant)).length,
      2,
      'a key that was found in use again begins its grace anew',
    );
    assert.equal((await one.rowOf(tenant, late)).dekId, id);
    await one.reseal();
    assert.equal((await keysOf(one, tenant)).length, 1);
    other.keys.forget(tenant);
    assert.equal(await other.read(tenant, late), 'late');
  });

  test('a row that somebody changes meanwhile keeps the change', async () => {
    const service = ringService(ringLine('k1'));
    const one = open({ service });
    const tenant = newTenant();
    const id = await one.save(tenant, 'before');
    const next = await one.keys.replace(tenant, nobody);
    await one.database.transaction(tenant, async (em) => {
      await execute(em, 'select 1 from webhook_endpoint where id = $1 for update', [id]);
      const row = await em.findOneOrFail(WebhookEndpointEntity, { tenant, id });
      await one.reseal();
      // Sealed with the old key still, as by whoever remembers it.
      const { dekId, sealed } = await open({ service }).keys.seal(
        tenant,
        Buffer.from('after'),
        secretContext(id),
      );
      em.assign(row, { dekId, secretEnc: sealed });
    });
    assert.equal(await one.read(tenant, id), 'after');
    await one.reseal();
    assert.equal((await one.rowOf(tenant, id)).dekId, next);
    assert.equal(await one.read(tenant, id), 'after');
  });

  test('what cannot be opened stays as it is with its key, and is told of', async () => {
    const service = ringService(ringLine('k1'));
    const one = open({ service });
    const tenant = newTenant();
    const [broken, whole] = [await one.save(tenant, 'broken'), await one.save(tenant, 'whole')];
    await one.database.transaction(tenant, (em) =>
      em.nativeUpdate(
        WebhookEndpointEntity,
        { tenant, id: broken },
        { secretEnc: Buffer.alloc(40, 1) },
      ),
    );
    const next = await one.keys.replace(tenant, nobody);
    for (let turn = 0; turn < 3; turn++) await one.reseal();
    assert.equal((await keysOf(one, tenant)).length, 2);
    assert.notEqual((await one.rowOf(tenant, broken)).dekId, next);
    assert.equal((await one.rowOf(tenant, whole)).dekId, next);
    assert.match(one.lines.join(), /cannot be opened and stays as it is/);
  });

  test('of two who replace one key at once, one does', async () => {
    const service = ringService(ringLine('k1'));
    const [one, other] = [open({ service }), open({ service })];
    const tenant = newTenant();
    const { dekId } = await one.keys.seal(tenant, Buffer.from('x'), ['a']);
    const made = await Promise.all(
      [one, other, one].map((instance) => instance.keys.replace(tenant, nobody, dekId)),
    );
    assert.equal(made.filter((id) => id !== undefined).length, 1);
    assert.equal((await keysOf(one, tenant)).filter((key) => !key.supersededAt).length, 1);
  });

  test('every column of notifications that holds something sealed is in the table of them', async () => {
    const { database } = open({ service: ringService(ringLine('k1')) });
    const text = `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'notifications' and data_type = 'bytea' order by 1`;
    const columns = await database.query<{ name: string }>({ name: 'bytea_columns', text }, []);
    const columnOf = (property: string) =>
      property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const listed = sealedRecords.flatMap(({ entity, fields }) =>
      Object.keys(fields).map((property) => `${entity.meta.tableName}.${columnOf(property)}`),
    );
    // A data key is wrapped and not sealed, and the address that is suppressed is hashed.
    assert.deepEqual(
      columns
        .map(({ name }) => name)
        .filter((name) => name !== 'dek.wrapped' && name !== 'mail_suppression.hash'),
      listed.sort(),
    );
    for (const { entity } of sealedRecords)
      assert.ok(
        notificationsSchema.entities.includes(entity) &&
          'tenant' in entity.meta.properties &&
          'dekId' in entity.meta.properties,
      );
  });
});
