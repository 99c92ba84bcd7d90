import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBroker } from '@bailiwick/broker';
import { answersAsBroker } from '@bailiwick/deploy/local/broker.ts';
import { startDaemon } from '@bailiwick/deploy/local/daemon.ts';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { createLog } from '@bailiwick/process';
import { findProgram, testOwner } from '../support/broker.ts';
import { eventually } from '../support/harness.ts';
import { takePort } from '../support/ports.ts';

describe('a broker connection with a password', async () => {
  const program = await findProgram();
  const skip = program.image !== undefined && 'nats-server runs in a container only';

  test('fails while the password is wrong, and recovers when the broker accepts it', {
    skip,
  }, async (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-login-'));
    const port = await takePort();
    const config = path.join(folder, 'nats.conf');
    const want = (password: string) =>
      writeFileSync(
        config,
        `listen: "${loopback}:${port}"\njetstream { store_dir: "${path.join(folder, 'store')}" }\nauthorization { user: us, password: "${password}" }\n`,
      );
    want('another');
    const daemon = await startDaemon({
      command: program.command,
      args: ['--config', config],
      logFile: path.join(folder, 'nats.log'),
      signal: 'SIGTERM',
    });
    t.after(async () => (await daemon.stop(), rmSync(folder, { recursive: true, force: true })));
    await eventually('the server', () => answersAsBroker(`nats://${loopback}:${port}`));

    const lines: string[] = [];
    const broker = openBroker({
      url: `nats://us:Qx7-ours@${loopback}:${port}`,
      name: 'test',
      log: createLog('test', (line) => lines.push(line)),
    });
    broker.claim(testOwner);
    t.after(() => broker.close());
    const reload = (password: string) => (want(password), process.kill(daemon.pid, 'SIGHUP'));
    const isThere = (isConnected: boolean) =>
      eventually(`connected: ${isConnected}`, () =>
        Promise.resolve(broker.isConnected() === isConnected),
      );

    // The first round is before the first connection, the second one after.
    for (const id of ['first', 'second']) {
      await sleep(1500);
      assert.equal(broker.isConnected(), false);
      reload('Qx7-ours');
      await isThere(true);
      await broker.states();
      assert.ok((await broker.publish('evt.tnt_1.test', '{}', id)) > 0);
      reload('another');
      await isThere(false);
    }
    const violations = lines.filter((line) =>
      /authorization violation/i.test(line.replaceAll('_', ' ')),
    );
    assert.ok(violations.length >= 2 && violations.length < 20, lines.join(''));
    assert.ok(!lines.join('').includes('Qx7'));
  });
});
