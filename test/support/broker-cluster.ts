import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brokerConfiguration } from '@bailiwick/deploy/local/broker.ts';
import { type Daemon, startDaemon } from '@bailiwick/deploy/local/daemon.ts';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { connect, type JetStreamManager } from 'nats';
import { findProgram, type TestBroker } from './broker.ts';
import { eventually } from './harness.ts';
import { takePort } from './ports.ts';

type Member = {
  name: string;
  folder: string;
  ports: { client: number; route: number; monitor: number };
  daemon?: Daemon;
};

const startLimitMs = 60_000;

/**
 * A cluster of three brokers, each of which has a copy of every message. `kill` and `wipe` end one
 * of them, in turns, so that the streams that it led get other leaders; `start` starts it again and
 * returns when it has the others' messages.
 */
export async function startBrokerCluster(folder: string): Promise<TestBroker> {
  const members = await Promise.all(['one', 'two', 'three'].map((name) => plan(folder, name)));
  const routes = members.map(({ ports }) => `nats://${loopback}:${ports.route}`);
  const start = async () => {
    const missing = members.filter(({ daemon }) => !daemon || daemon.hasExited());
    await Promise.all(missing.map((member) => run(member, routes)));
    await Promise.all(missing.map(hasAllMessages));
  };
  let turn = 0;
  const endNext = async () => {
    const member = members[turn++ % members.length] as Member;
    await member.daemon?.kill();
    return member;
  };
  const stop = async () => {
    await Promise.all(members.map(async ({ daemon }) => daemon?.stop()));
  };
  const url = urlOf(members[0] as Member);
  try {
    await start();
    await hasLeader(url);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    storeDir: folder,
    start,
    stop,
    remove: stop,
    async kill() {
      await endNext();
    },
    async wipe() {
      const { folder: store } = await endNext();
      rmSync(path.join(store, 'jetstream'), { recursive: true, force: true });
    },
  };
}

async function plan(folder: string, name: string): Promise<Member> {
  const [client, route, monitor] = await Promise.all([takePort(), takePort(), takePort()]);
  return { name, folder: path.join(folder, name), ports: { client, route, monitor } };
}

const urlOf = ({ ports }: Member) => `nats://${loopback}:${ports.client}`;

async function run(member: Member, routes: readonly string[]): Promise<void> {
  const { name, folder, ports } = member;
  mkdirSync(folder, { recursive: true });
  const { command, version, image } = await findProgram();
  if (image !== undefined) throw new Error('a cluster needs a nats-server on this machine');
  const config = path.join(folder, 'nats.conf');
  const own = brokerConfiguration({
    host: loopback,
    port: ports.client,
    store: folder,
    version,
    name,
  });
  const cluster = `http: "${loopback}:${ports.monitor}"
cluster { name: test, listen: "${loopback}:${ports.route}", routes: ${JSON.stringify(routes)} }
`;
  writeFileSync(config, own + cluster);
  const logFile = path.join(folder, 'nats.log');
  member.daemon = await startDaemon({
    command,
    args: ['--config', config],
    logFile,
    signal: 'SIGTERM',
  });
}

/** Waits until every stream has a copy on each of the three brokers. */
export const hasThreeCopies = (url: string): Promise<unknown> =>
  eventually('three copies of each stream', async () => {
    const copies = await withManager(url, async ({ streams }) =>
      (await streams.list().next()).map(({ config }) => config.num_replicas),
    );
    return copies.length > 0 && copies.every((count) => count === 3);
  });

/** The broker's own probe: it has a leader for each stream and is not behind it. */
const hasAllMessages = ({ name, ports }: Member): Promise<unknown> =>
  eventually(
    `broker ${name} to have all messages`,
    () =>
      fetch(`http://${loopback}:${ports.monitor}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    startLimitMs,
  );

/** Streams can be created once the servers have elected a leader among them. */
const hasLeader = (url: string): Promise<unknown> =>
  eventually(
    'the brokers to elect a leader',
    () => withManager(url, () => Promise.resolve(true)).catch(() => false),
    startLimitMs,
  );

async function withManager<T>(
  url: string,
  use: (manager: JetStreamManager) => Promise<T>,
): Promise<T> {
  const connection = await connect({ servers: url });
  try {
    return await use(await connection.jetstreamManager());
  } finally {
    await connection.close();
  }
}
