import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  type Broker,
  type BrokerOptions,
  findBroker,
  startBroker,
} from '@bailiwick/deploy/local/broker.ts';
import { isAlive } from '@bailiwick/deploy/local/pids.ts';
import { quiet, temporaryFolder } from '@bailiwick/deploy/local/testing.ts';
import { connect, type NatsConnection, RetentionPolicy } from 'nats';

const binary = await findBroker(quiet);

async function start(
  t: TestContext,
  options: Partial<BrokerOptions> & { storeDir: string },
): Promise<Broker> {
  const broker = await startBroker({ binary, log: quiet, ...options });
  t.after(() => broker.stop());
  return broker;
}

async function connectTo(t: TestContext, broker: Broker): Promise<NatsConnection> {
  const connection = await connect({
    servers: broker.url,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 20,
  });
  t.after(() => connection.close());
  return connection;
}

test('startBroker loses no acknowledged message when the broker is killed and restarted on its port and folder', async (t) => {
  const storeDir = temporaryFolder(t);
  const first = await start(t, { storeDir });
  const connection = await connectTo(t, first);
  const manager = await connection.jetstreamManager();
  await manager.streams.add({
    name: 'TASK',
    subjects: ['task.>'],
    retention: RetentionPolicy.Workqueue,
  });
  const stream = connection.jetstream();
  await Promise.all(Array.from({ length: 200 }, () => stream.publish('task.one', 'body')));
  await first.kill();
  assert.equal(isAlive(first.pid), false);

  const second = await start(t, { storeDir, port: first.port });
  assert.equal(second.url, first.url);
  const again = await connectTo(t, second);
  assert.equal((await (await again.jetstreamManager()).streams.info('TASK')).state.messages, 200);
});

test('startBroker accepts messages of 2 MiB and listens on loopback only', async (t) => {
  const broker = await start(t, { storeDir: temporaryFolder(t) });
  const connection = await connectTo(t, broker);
  assert.ok((connection.info?.max_payload ?? 0) >= 2 * 1024 * 1024);
  assert.equal(connection.info?.host, '127.0.0.1');
});

test('startBroker stops the server that an earlier start left on its folder', async (t) => {
  const storeDir = temporaryFolder(t);
  const earlier = await start(t, { storeDir });
  const broker = await start(t, { storeDir });
  assert.equal(isAlive(earlier.pid), false);
  assert.equal(isAlive(broker.pid), true);
});

test('startBroker runs an image if there is no binary', async (t) => {
  const dir = temporaryFolder(t);
  const docker = join(dir, 'docker');
  // Stands in for Docker: publishes the port and mounts the folder by rewriting the configuration.
  writeFileSync(
    docker,
    `#!/bin/sh
[ "$1" = run ] || exit 0
while [ $# -gt 0 ]; do
  case "$1" in
    --publish) port=\${2#127.0.0.1:} port=\${port%:4222} ;;
    --volume) store=\${2%:/store} ;;
  esac
  shift
done
sed -e "s#0.0.0.0:4222#127.0.0.1:$port#" -e "s#\\"/store\\"#\\"$store\\"#" "$store/nats.conf" > "$store/inside.conf"
exec ${binary.command} --config "$store/inside.conf"
`,
  );
  chmodSync(docker, 0o755);
  const broker = await start(t, {
    storeDir: join(dir, 'store'),
    binary: { command: docker, version: binary.version, image: 'nats:2' },
  });
  const connection = await connectTo(t, broker);
  await (await connection.jetstreamManager()).streams.add({ name: 'EVT', subjects: ['evt.>'] });
});
