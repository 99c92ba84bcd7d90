import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { serviceOrigin } from '@bailiwick/contract';
import { countByKek, DekEntity } from '@bailiwick/keys';
import { notificationsSchema } from '@bailiwick/notifications/schema.ts';
import { sealedRecords } from '@bailiwick/notifications/sealed.ts';
import { secretContext } from '@bailiwick/notifications/webhooks/api-record.ts';
import { WebhookEndpointEntity } from '@bailiwick/notifications/webhooks/entities.ts';
import { openUrl } from '@bailiwick/notifications/webhooks/url.ts';
import type { Statement } from '@bailiwick/store';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Instance, openInstance, ringLine, ringService } from './instance.ts';

const notify = () => {};
const call = serviceOrigin('test');

describe('key rotation', () => {
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
        await database.write(call, { name: `empty_${table}`, text: `delete from ${table}` }, []);
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
    database.transaction({ call, tenant }, (tx) =>
      tx.em.find(DekEntity, { tenant }, { orderBy: { id: 'asc' } }),
    );

  test('data keys are re-wrapped by a new key-encryption key, and the old one can be removed', async () => {
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

  test('a data key that cannot be unwrapped is reported, and does not stop the re-wrapping of others', async () => {
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
    assert.match(next.lines.join(), /rewrapping a data key failed.*the key ring has no key lost/);
  });

  test('a new data key seals new data, data of the old one is re-sealed, and the old one is removed', async () => {
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
    const id = await one.keys.replace(call, tenant, notify);
    one.keys.forget(tenant);
    assert.equal((await one.keys.seal(tenant, Buffer.from('x'), ['a'])).dekId, id);
    await one.reseal();
    for (const [index, endpoint] of ids.entries()) {
      assert.equal((await one.rowOf(tenant, endpoint)).dekId, id);
      assert.equal(await one.read(tenant, endpoint), `secret ${index}`);
    }
    const [old, current] = await keysOf(one, tenant);
    assert.ok(old?.unusedSince, 'an unused key is kept for its grace period');
    assert.equal(current?.id, id);
    await new Promise((resolve) => setTimeout(resolve, 60));
    await one.reseal();
    assert.deepEqual(
      (await keysOf(one, tenant)).map((key) => key.id),
      [id],
    );
  });

  test('the URL of an endpoint is re-sealed, also if its secret has another key', async () => {
    const service = ringService(ringLine('k1'));
    const one = open({ service });
    const tenant = newTenant();
    const url = 'https://receiver.example/in?key=secret';
    const id = await one.save(tenant, 'whsec', url);
    const next = await one.keys.replace(call, tenant, notify);
    one.keys.forget(tenant);
    await one.change(tenant, id, 'changed');
    const { dekId, urlDekId } = await one.rowOf(tenant, id);
    assert.ok(dekId === next && urlDekId !== next);
    await one.reseal();
    assert.equal((await keysOf(one, tenant)).length, 2, 'the old key is kept for its grace period');
    await one.reseal();
    assert.deepEqual(
      (await keysOf(one, tenant)).map((key) => key.id),
      [next],
    );
    const row = await one.rowOf(tenant, id);
    assert.deepEqual([row.url, row.dekId, row.urlDekId], ['', next, next]);
    assert.equal(await openUrl(one.keys, row, row), url);
    assert.equal(await one.read(tenant, id), 'changed');
  });

  test('a record sealed with a cached old key is re-sealed before that key is removed', async () => {
    const service = ringService(ringLine('k1'));
    const [one, other] = [open({ service }), open({ service })];
    const tenant = newTenant();
    await other.save(tenant, 'earlier');
    const id = await one.keys.replace(call, tenant, notify);
    await one.reseal();
    const late = await other.save(tenant, 'late');
    assert.notEqual(
      (await one.rowOf(tenant, late)).dekId,
      id,
      'the other process has not learnt of the new key',
    );
    await one.reseal();
    assert.equal(
      (await keysOf(one, tenant)).length,
      2,
      'the grace period of a key that is in use again restarts',
    );
    assert.equal((await one.rowOf(tenant, late)).dekId, id);
    await one.reseal();
    assert.equal((await keysOf(one, tenant)).length, 1);
    other.keys.forget(tenant);
    assert.equal(await other.read(tenant, late), 'late');
  });

  test('re-sealing does not overwrite a concurrent change of a row', async () => {
    const service = ringService(ringLine('k1'));
    const one = open({ service });
    const tenant = newTenant();
    const id = await one.save(tenant, 'before');
    const next = await one.keys.replace(call, tenant, notify);
    await one.database.transaction({ call, tenant }, async (tx) => {
      await tx.query('select 1 from webhook_endpoint where id = $1 for update', [id]);
      const row = await tx.em.findOneOrFail(WebhookEndpointEntity, { tenant, id });
      await one.reseal();
      // Sealed with the old key, by a process that still has it in its cache.
      const { dekId, sealed } = await open({ service }).keys.seal(
        tenant,
        Buffer.from('after'),
        secretContext(id),
      );
      tx.em.assign(row, { dekId, secretEnc: sealed });
    });
    assert.equal(await one.read(tenant, id), 'after');
    await one.reseal();
    assert.equal((await one.rowOf(tenant, id)).dekId, next);
    assert.equal(await one.read(tenant, id), 'after');
  });

  test('a record that cannot be opened stays with its key, and is reported', async () => {
    const service = ringService(ringLine('k1'));
    const one = open({ service });
    const tenant = newTenant();
    const [broken, whole] = [await one.save(tenant, 'broken'), await one.save(tenant, 'whole')];
    await one.database.transaction({ call, tenant }, (tx) =>
      tx.em.nativeUpdate(
        WebhookEndpointEntity,
        { tenant, id: broken },
        { secretEnc: Buffer.alloc(40, 1) },
      ),
    );
    const next = await one.keys.replace(call, tenant, notify);
    for (let turn = 0; turn < 3; turn++) await one.reseal();
    assert.equal((await keysOf(one, tenant)).length, 2);
    assert.notEqual((await one.rowOf(tenant, broken)).dekId, next);
    assert.equal((await one.rowOf(tenant, whole)).dekId, next);
    assert.match(one.lines.join(), /cannot be opened, leaving it unchanged/);
  });

  test('of two concurrent replacements of one key, one succeeds', async () => {
    const service = ringService(ringLine('k1'));
    const [one, other] = [open({ service }), open({ service })];
    const tenant = newTenant();
    const { dekId } = await one.keys.seal(tenant, Buffer.from('x'), ['a']);
    const newIds = await Promise.all(
      [one, other, one].map((instance) => instance.keys.replace(call, tenant, notify, dekId)),
    );
    assert.equal(newIds.filter((id) => id !== undefined).length, 1);
    assert.equal((await keysOf(one, tenant)).filter((key) => !key.supersededAt).length, 1);
  });

  test('the table of sealed columns lists every sealed column of notifications', async () => {
    const { database } = open({ service: ringService(ringLine('k1')) });
    const text = `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'notifications' and data_type = 'bytea' order by 1`;
    const statement: Statement<{ name: string }, []> = { name: 'bytea_columns', text };
    const columns = await database.query(statement, []);
    const columnOf = (property: string) =>
      property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const listed = sealedRecords.flatMap(({ entity, fields }) =>
      Object.keys(fields).map((property) => `${entity.meta.tableName}.${columnOf(property)}`),
    );
    // Data keys are wrapped, and suppressed addresses and tokens are hashed: none of them is sealed.
    assert.deepEqual(
      columns
        .map(({ name }) => name)
        .filter((name) => name !== 'dek.wrapped' && !name.endsWith('hash')),
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
