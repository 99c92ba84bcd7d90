import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBroker } from '@bailiwick/shared/broker.ts';
import { createLog } from '@bailiwick/shared/log.ts';
import {
  createMemory,
  createRevoker,
  leaseMs,
  type RightsKey,
} from '@bailiwick/shared/revocation.ts';
import { startTestBroker, type TestBroker } from './broker.ts';
import { startCable } from './cable.ts';
import { eventually } from './harness.ts';

// A gateway that is well connected, and a service whose own connection to the broker is not: neither may take silence for
// the absence of gateways.
describe('a revocation over a broken connection', () => {
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

  async function begin(t: TestContext) {
    const cable = await startCable(server.url);
    const open = (url: string, name: string) =>
      openBroker({ url, name, log: createLog('test', () => {}) });
    const [ofService, ofGateway] = [open(cable.url, 'service'), open(server.url, 'gateway')];
    const revoke = createRevoker(ofService);
    const memory = createMemory(ofGateway);
    t.after(async () => {
      cable.goOn();
      memory.close();
      await Promise.all([ofService.close(), ofGateway.close()]);
      cable.close();
    });
    let asked = 0;
    const recall = () =>
      memory.recall('rights', () => Promise.resolve({ value: ++asked, keys: [key] }));
    await eventually('the connections', () =>
      Promise.resolve(ofService.isConnected() && ofGateway.isConnected()),
    );
    // Longer than a service that has just begun to listen waits in any case.
    await sleep(leaseMs + 1000);
    return { cable, ofService, revoke, recall };
  }

  /** How long a revocation takes, after which nothing of what was remembered before may be left. */
  async function revokedIn({
    revoke,
    recall,
  }: Pick<Awaited<ReturnType<typeof begin>>, 'revoke' | 'recall'>): Promise<number> {
    const remembered = await recall();
    assert.equal(await recall(), remembered, 'it is remembered');
    const started = performance.now();
    await revoke([key]);
    const took = performance.now() - started;
    assert.notEqual(await recall(), remembered);
    return took;
  }

  test('is over at once while all is well', async (t) => {
    assert.ok((await revokedIn(await begin(t))) < leaseMs / 2);
  });

  test('waits where the connection is dead and nobody knows', async (t) => {
    const stage = await begin(t);
    stage.cable.hold();
    await sleep(leaseMs + 500);
    assert.ok(stage.ofService.isConnected());
    assert.ok((await revokedIn(stage)) >= leaseMs - 100);
    stage.cable.goOn();
    await sleep(leaseMs + 500);
    assert.ok((await revokedIn(stage)) < leaseMs / 2, 'and is over at once again');
  });

  test('waits after a reconnection, until every gateway can have been heard', async (t) => {
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
    assert.ok((await revokedIn(stage)) < leaseMs / 2, 'and is over at once again');
  });
});
