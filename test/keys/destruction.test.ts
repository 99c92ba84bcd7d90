import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Broker, openBroker } from '@bailiwick/broker';
import { createId, serviceOrigin } from '@bailiwick/contract';
import { followTenantPurges } from '@bailiwick/notifications/endpoint-cache.ts';
import { secretContext } from '@bailiwick/notifications/webhooks/api-record.ts';
import { createHandover, record, startRelay } from '@bailiwick/outbox';
import { forgetEverywhere } from '@bailiwick/pipeline';
import { startTestBroker, type TestBroker, testOwner } from '../support/broker.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/harness.ts';
import { type Instance, openInstance, ringLine, ringService } from './instance.ts';

// Data sealed for a purged tenant cannot be opened any more, neither from a copy nor by any
// process.

describe('the destruction of a tenant’s keys', () => {
  let testDatabase: TestDatabase;
  let testBroker: TestBroker;
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-destruction-'));
  const replicas: Array<{ instance: Instance; broker: Broker; forget: (tenant: string) => void }> =
    [];
  before(async () => {
    [testDatabase, testBroker] = await Promise.all([
      createTestDatabase(),
      startTestBroker(path.join(folder, 'nats')),
    ]);
    const service = ringService(ringLine('k1'));
    for (const name of ['one', 'two', 'three']) {
      const instance = openInstance({ url: testDatabase.url, service });
      const broker = openBroker({ url: testBroker.url, name, log: instance.log });
      broker.claim(testOwner);
      replicas.push({ instance, broker, forget: forgetEverywhere(broker, instance.keys) });
    }
  });
  after(async () => {
    for (const { instance, broker } of replicas) {
      await broker.close();
      await instance.close();
    }
    await testBroker?.remove();
    await testDatabase?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('after a purge no process opens a copy of sealed data, long before the key caches expire', async () => {
    const [first, ...others] = replicas;
    if (!first) return assert.fail();
    const { instance, broker, forget } = first;
    await Promise.all(
      replicas.map((one) => eventually('the broker', async () => one.broker.isConnected())),
    );
    const tenant = createId('tnt');
    const other = createId('tnt');
    const [id, otherId] = [
      await instance.save(tenant, 'secret'),
      await instance.save(other, 'kept'),
    ];
    const { dekId, secretEnc } = await instance.rowOf(tenant, id);
    const copy = { dekId, sealed: Buffer.from(secretEnc) };
    const opens = ({ instance: { keys } }: (typeof replicas)[number]) =>
      keys.open(tenant, copy, secretContext(id)).then(String);
    for (const replica of replicas)
      assert.equal(await opens(replica), 'secret', 'every process has the key in its cache');

    // One process handles the purge, because the broker delivers the event to one of them.
    const revokedKeys: string[] = [];
    const stopPurges = followTenantPurges({
      database: instance.database,
      broker,
      log: instance.log,
      forget,
      revoke: async (keys) => {
        revokedKeys.push(...keys);
        return [];
      },
    })();
    const relay = startRelay({
      database: instance.database,
      handover: createHandover(),
      broker,
      log: instance.log,
    });
    const started = Date.now();
    const call = serviceOrigin('access', 'Tenants_Delete');
    await instance.database.transaction({ call, tenant: null }, async (tx) => {
      record(tx, { tenant, type: 'tenant.purged', data: { ID: tenant }, targets: [] });
    });
    for (const replica of [first, ...others])
      await eventually('the key to leave the cache', async () =>
        opens(replica).then(
          () => false,
          (error: Error) => /is gone/.test(error.message),
        ),
      );
    assert.ok(
      Date.now() - started < 30_000,
      'it does not take until the cache entry expires, a minute later',
    );
    assert.deepEqual(revokedKeys, [`credential:${id}`], 'its opened secrets leave every process');
    for (const replica of replicas)
      assert.equal(await replica.instance.read(other, otherId), 'kept');
    await relay.stop();
    await stopPurges();
  });

  test('a process that misses the event loses a destroyed key when its cache entry expires', async () => {
    const service = ringService(ringLine('k2'));
    const deaf = openInstance({ url: testDatabase.url, service, lifetimeMs: 300 });
    const tenant = createId('tnt');
    const { dekId, sealed } = await deaf.keys.seal(tenant, Buffer.from('secret'), ['a']);
    assert.equal(String(await deaf.keys.open(tenant, { dekId, sealed }, ['a'])), 'secret');
    const destroy = { name: 'destroy', text: 'delete from dek where tenant = $1' };
    await deaf.database.write(serviceOrigin('test'), destroy, [tenant]);
    await eventually(
      'the cache entry to expire',
      async () =>
        deaf.keys.open(tenant, { dekId, sealed }, ['a']).then(
          () => false,
          () => true,
        ),
      5000,
    );
    await deaf.close();
  });
});
