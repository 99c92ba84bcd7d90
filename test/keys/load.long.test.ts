import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceOrigin } from '@bailiwick/contract';
import {
  countByKek,
  countRemaining,
  createVaultCalls,
  createVaultService,
  type KeyService,
  requestRotation,
  tokenFromFile,
} from '@bailiwick/keys';
import { sealedRecords } from '@bailiwick/notifications/sealed.ts';
import { maintainDataKeys } from '@bailiwick/pipeline';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/harness.ts';
import { openInstance, ringLine, ringService } from './instance.ts';
import { startVault } from './vault.ts';

// Both kinds of key are rotated repeatedly while three processes seal and open continuously. The
// processes get no events about replaced keys: each learns of them when its cache entries expire,
// as without a broker.

const rounds = 3;
const tenants = ['tnt_a', 'tnt_b', 'tnt_c', 'tnt_d', ''];
const lifetimeMs = 200;
const graceMs = 2000;

describe('under load', () => {
  let testDatabase: TestDatabase;
  before(async () => {
    testDatabase = await createTestDatabase();
  });
  after(() => testDatabase?.drop());

  function startOne(service: KeyService) {
    const instance = openInstance({ url: testDatabase.url, service, lifetimeMs, graceMs });
    const { database, keys, log } = instance;
    const upkeep = maintainDataKeys({
      database,
      keys,
      service,
      records: sealedRecords,
      log,
      graceMs,
      everyMs: 100,
      forget: (tenant) => keys.forget(tenant),
    });
    const stopUpkeep = upkeep();
    const secrets = new Map<string, { tenant: string; secret: string }>();
    const failures: unknown[] = [];
    let stopped = false;
    let opened = 0;

    async function work(): Promise<void> {
      const tenant = tenants[Math.floor(Math.random() * tenants.length)] ?? '';
      const secret = randomBytes(8).toString('hex');
      const [id, stored] = [...secrets][Math.floor(Math.random() * secrets.size)] ?? [];
      if (!id || !stored || secrets.size < 60)
        secrets.set(await instance.save(tenant, secret), { tenant, secret });
      else if (Math.random() < 0.3) {
        await instance.change(stored.tenant, id, secret);
        secrets.set(id, { tenant: stored.tenant, secret });
      } else assert.equal(await instance.read(stored.tenant, id), stored.secret);
      opened++;
    }
    const loop = (async () => {
      while (!stopped) {
        await work().catch((error: unknown) => failures.push(error));
        await sleep(1);
      }
    })();

    const end = async () => {
      if (stopped) return;
      stopped = true;
      await loop;
      await stopUpkeep();
      await instance.close();
    };
    return {
      instance,
      secrets,
      /** Shuts down like a process: it completes its work in progress. */
      async stop(): Promise<number> {
        await end();
        assert.deepEqual(failures, []);
        assert.deepEqual(
          instance.lines.filter((line) => !line.includes('"level":"info"')),
          [],
        );
        return opened;
      },
      end,
    };
  }

  /** Three processes that can be replaced one by one, and the secrets that they have stored. */
  function startFleet(t: TestContext, service: KeyService) {
    let running = [1, 2, 3].map(() => startOne(service));
    const secrets = new Map<string, { tenant: string; secret: string }>();
    const total = { opened: 0 };
    t.after(() => Promise.all(running.map((one) => one.end())));
    const stopOne = async (one: (typeof running)[number]) => {
      total.opened += await one.stop();
      for (const [id, secret] of one.secrets) secrets.set(id, secret);
    };
    return {
      total,
      async roll(next: KeyService): Promise<void> {
        for (const [index, one] of running.entries()) {
          await stopOne(one);
          running = running.with(index, startOne(next));
          await sleep(150);
        }
      },
      /**
       * Replaces all data keys, and waits until `kek` alone wraps the remaining ones, one for each
       * tenant.
       */
      async rotated(kek: string): Promise<void> {
        const database = (running[0] ?? assert.fail()).instance.database;
        await database.transaction({ call: serviceOrigin('test'), tenant: null }, (tx) =>
          requestRotation(tx),
        );
        const isDone = async () => {
          const [{ toReplace, toReseal }, kinds] = [
            await countRemaining(database),
            await countByKek(database),
          ];
          return (
            toReplace + toReseal === 0 &&
            kinds.length === 1 &&
            kinds[0]?.kek === kek &&
            kinds[0].count === tenants.length
          );
        };
        await eventually(
          `all data keys to be replaced and wrapped by ${kek}`,
          isDone,
          60_000,
        ).catch(async (error: unknown) =>
          assert.fail(
            `${String(error)}: ${JSON.stringify([await countRemaining(database), await countByKek(database)])}`,
          ),
        );
      },
      async stop(): Promise<void> {
        for (const one of running.splice(0)) await stopOne(one);
      },
      secrets,
    };
  }

  async function assertAllOpen(
    t: TestContext,
    service: KeyService,
    { secrets, total }: ReturnType<typeof startFleet>,
  ): Promise<void> {
    const { read, close, ...last } = openInstance({ url: testDatabase.url, service });
    for (const [id, { tenant, secret }] of secrets)
      assert.equal(await read.call({ ...last, read, close }, tenant, id), secret);
    await close();
    assert.ok(total.opened > 500, `${total.opened} secrets were sealed or opened`);
    t.diagnostic(
      `${total.opened} secrets were sealed or opened meanwhile, and ${secrets.size} opened at the end`,
    );
  }

  test('repeated rotation of the ring’s keys and all data keys causes no failure, and the old keys can be removed', async (t) => {
    let line = ringLine('k0');
    const fleet = startFleet(t, ringService(line));
    await sleep(1000);
    for (let round = 1; round <= rounds; round++) {
      const next = ringLine(`k${round}`);
      await fleet.roll(ringService(line, next));
      await fleet.roll(ringService(next, line));
      await fleet.rotated(`k${round}`);
      await fleet.roll(ringService(next));
      line = next;
    }
    await fleet.stop();
    await assertAllOpen(t, ringService(line), fleet);
  });

  test('repeated rotation of Vault’s key and all data keys causes no failure, and the old versions can be removed', async (t) => {
    const cleared = openInstance({ url: testDatabase.url, service: ringService(ringLine('k')) });
    for (const table of ['dek', 'webhook_endpoint'])
      await cleared.database.write(
        serviceOrigin('test'),
        { name: `empty_${table}`, text: `delete from ${table}` },
        [],
      );
    await cleared.close();
    const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-vault-'));
    const vault = await startVault();
    writeFileSync(path.join(folder, 'token'), vault.token);
    const calls = createVaultCalls({
      url: vault.url,
      namespace: '',
      ca: '',
      token: tokenFromFile(path.join(folder, 'token')),
    });
    const service = createVaultService({ calls, mount: 'transit', key: 'bailiwick' });
    const fleet = startFleet(t, service);
    t.after(async () => {
      await service.close();
      await vault.stop();
      rmSync(folder, { recursive: true });
    });
    await sleep(1000);
    for (let version = 2; version <= rounds + 1; version++) {
      vault.rotate();
      // A short outage, which retries bridge.
      vault.state.failing = 3;
      await fleet.rotated(`vault:transit/bailiwick:v${version}`);
      vault.state.oldest = version;
    }
    await fleet.stop();
    await assertAllOpen(t, service, fleet);
  });
});
