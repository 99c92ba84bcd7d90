import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { openBroker, watchStorage } from '@bailiwick/broker';
import { answersAsBroker } from '@bailiwick/deploy/local/broker.ts';
import { startDaemon } from '@bailiwick/deploy/local/daemon.ts';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { createLog, startTelemetry } from '@bailiwick/process';
import { connect } from 'nats';
import { findProgram, testOwner } from '../support/broker.ts';
import { eventually } from '../support/harness.ts';
import { takePort } from '../support/ports.ts';

// A broker whose storage is limited, of the server and of the account.

const limit = 2 * 1024 * 1024;
const body = 'x'.repeat(100_000);

const { metrics } = await startTelemetry(
  'test',
  createLog('test', () => {}),
  {},
);
const exporter = createServer((request, response) => void metrics?.(request, response));
before(() => new Promise<void>((listening) => exporter.listen(0, loopback, listening)));
after(() => exporter.close());

/** A metric without labels; undefined = it has no value. */
async function valueOf(name: string): Promise<number | undefined> {
  const { port } = exporter.address() as AddressInfo;
  const text = await (await fetch(`http://${loopback}:${port}/metrics`)).text();
  const figure = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  return figure === undefined ? undefined : Number(figure);
}

async function startLimited(t: TestContext, command: string, jetstream: string, accounts: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-storage-'));
  const port = await takePort();
  const config = path.join(folder, 'nats.conf');
  const store = `store_dir: "${path.join(folder, 'store')}"`;
  writeFileSync(
    config,
    `listen: "${loopback}:${port}"\njetstream { ${store}${jetstream} }\n${accounts}\n`,
  );
  const daemon = await startDaemon({
    command,
    args: ['--config', config],
    logFile: path.join(folder, 'nats.log'),
    signal: 'SIGTERM',
  });
  t.after(async () => (await daemon.stop(), rmSync(folder, { recursive: true, force: true })));
  const url = `nats://${loopback}:${port}`;
  await eventually('the server', () => answersAsBroker(url));

  const lines: string[] = [];
  const log = createLog('test', (line) => lines.push(line));
  const broker = openBroker({ url, name: 'test', log });
  broker.claim(testOwner);
  t.after(() => broker.close());
  await broker.states();
  let count = 0;
  const publish = () => broker.publish('evt.tnt_1.test', body, `id-${count++}`);
  async function publishUntil(used: number): Promise<void> {
    while ((await broker.storage()).used < used) await publish();
  }
  async function free(): Promise<void> {
    const connection = await connect({ servers: url });
    await (await connection.jetstreamManager()).streams.purge('EVT');
    await connection.close();
  }
  const linesWith = (text: string) => lines.filter((line) => line.includes(text)).length;
  return { broker, log, publish, publishUntil, free, linesWith };
}

describe('a broker with little storage', async () => {
  const program = await findProgram();
  const skip = program.image !== undefined && 'nats-server runs in a container only';

  test('a full server is noticed with its refusals, said once, counted, and forgotten once it has room', {
    skip,
  }, async (t) => {
    const server = await startLimited(t, program.command, `, max_file_store: ${limit}`, '');
    const { broker, publish, publishUntil, linesWith } = server;
    assert.equal(broker.isFull(), false);
    await publish();
    assert.deepEqual([broker.isFull(), (await broker.storage()).limit], [false, undefined]);
    const refusal = { code: 'ENOSPC', message: /insufficient resources/ };
    await assert.rejects(publishUntil(Number.POSITIVE_INFINITY), refusal);
    for (let attempt = 0; attempt < 2; attempt++) await assert.rejects(publish, refusal);
    assert.equal(broker.isFull(), true);
    assert.equal(linesWith('the storage of the broker is full'), 1);
    assert.equal(await valueOf('bailiwick_broker_full_total'), 3);
    await server.free();
    await publish();
    assert.equal(broker.isFull(), false);
    assert.equal(linesWith('the broker stores messages again'), 1);
  });

  test('the limit of an account is measured, and a warning comes before it is reached', {
    skip,
  }, async (t) => {
    const accounts = `accounts { A { jetstream { max_file: ${limit} }, users: [{ user: a, password: a }] } }\nno_auth_user: a`;
    const server = await startLimited(t, program.command, '', accounts);
    const { broker, log, publish, publishUntil, linesWith } = server;
    const disk = { free: 3 * 1024 ** 3, size: 100 * 1024 ** 3 };
    const storage = watchStorage({
      broker,
      dataDir: '/data',
      log,
      readDisk: () => Promise.resolve(disk),
      everyMs: 20,
    });
    t.after(storage.stop);
    const low = 'the disk of the database and the broker is nearly full';
    const full = 'the storage of the broker is nearly full';
    const concerns = (...expected: string[]) =>
      eventually(expected.join(), () =>
        Promise.resolve(storage.concerns().join() === expected.join()),
      );

    await publish();
    await concerns(low);
    assert.equal(await valueOf('bailiwick_broker_storage_limit_bytes'), limit);
    assert.equal(await valueOf('bailiwick_data_disk_free_bytes'), disk.free);
    assert.equal(await valueOf('bailiwick_data_disk_size_bytes'), disk.size);
    disk.free = 90 * 1024 ** 3;
    await publishUntil(0.91 * limit);
    await concerns(full);
    assert.ok(((await valueOf('bailiwick_broker_storage_bytes')) ?? 0) > 0.9 * limit);
    assert.equal(linesWith('the storage of the broker is nearly full'), 1);
    const untilRefused = publishUntil(Number.POSITIVE_INFINITY);
    await assert.rejects(untilRefused, { code: 'ENOSPC', message: /resource limits exceeded/ });
    await server.free();
    await concerns();
    assert.equal(linesWith('the storage of the broker has room again'), 1);
  });
});
