import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createRevoker,
  createRightsCache,
  leaseMs,
  openBroker,
  type RightsKey,
} from '@bailiwick/broker';
import { createLog } from '@bailiwick/process';
import { startTestBroker, type TestBroker } from './support/broker.ts';
import { startCable } from './support/cable.ts';
import { eventually } from './support/harness.ts';

// The gateway is connected to the broker, and the service's connection is broken. The service must
// not take the silence for "no gateways".
describe('a revocation over a broken broker connection', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-revocation-'));
  let server: TestBroker;
  before(async () => {
    server = await startTestBroker(folder);
  });
  after(async () => {
    await server?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const key: RightsKey = 'user:usr_1';
  // Without the log of the service: the signals alone.
  const noHolders = { fresh: async () => [], markDeaf: async () => {} };
  const follow = async () => ({
    keys: [],
    snapshot: '1',
    reset: false,
    deaf: false,
    complete: false,
  });

  async function begin(t: TestContext) {
    const cable = await startCable(server.url);
    const open = (url: string, name: string) =>
      openBroker({ url, name, log: createLog('test', () => {}) });
    const [ofService, ofGateway] = [open(cable.url, 'service'), open(server.url, 'gateway')];
    const revoke = createRevoker(ofService, noHolders);
    const rightsCache = createRightsCache(ofGateway, { identity: follow, access: follow });
    t.after(async () => {
      cable.goOn();
      rightsCache.close();
      await Promise.all([ofService.close(), ofGateway.close()]);
      cable.close();
    });
    let loads = 0;
    const getOrLoad = () =>
      rightsCache.getOrLoad('rights', () =>
        Promise.resolve({ value: ++loads, keys: [key], lastsMs: Infinity }),
      );
    await eventually('the connections', () =>
      Promise.resolve(ofService.isConnected() && ofGateway.isConnected()),
    );
    // Longer than the initial wait of a service that has just connected.
    await sleep(leaseMs + 1000);
    await eventually('a lease', async () => (await getOrLoad()) === (await getOrLoad()));
    return { cable, ofService, revoke, getOrLoad };
  }

  /** The time of a revocation. Asserts that it evicts the cached value. */
  async function revokedIn({
    revoke,
    getOrLoad,
  }: Pick<Awaited<ReturnType<typeof begin>>, 'revoke' | 'getOrLoad'>): Promise<number> {
    const cached = await getOrLoad();
    assert.equal(await getOrLoad(), cached, 'the value is cached');
    const started = performance.now();
    await revoke([key]);
    const took = performance.now() - started;
    assert.notEqual(await getOrLoad(), cached);
    return took;
  }

  test('completes at once while the connection works', async (t) => {
    assert.ok((await revokedIn(await begin(t))) < leaseMs / 2);
  });

  test('waits for a lease while the connection is dead and not yet detected', async (t) => {
    const stage = await begin(t);
    stage.cable.hold();
    await sleep(leaseMs + 500);
    assert.ok(stage.ofService.isConnected());
    assert.ok((await revokedIn(stage)) >= leaseMs - 100);
    stage.cable.goOn();
    await sleep(leaseMs + 500);
    assert.ok((await revokedIn(stage)) < leaseMs / 2, 'completes at once again');
  });

  test('waits after a reconnection until every gateway has had time to report', async (t) => {
    const stage = await begin(t);
    const before = stage.ofService.connections();
    stage.cable.hold();
    stage.cable.cut();
    await sleep(leaseMs + 500);
    stage.cable.goOn();
    await eventually('the connection', () =>
      Promise.resolve(stage.ofService.connections() > before),
    );
    await revokedIn(stage);
    await sleep(leaseMs + 500);
    assert.ok((await revokedIn(stage)) < leaseMs / 2, 'completes at once again');
  });
});
