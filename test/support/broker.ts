import { rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { type Owner } from '@bailiwick/broker';
import { findBroker, startBroker } from '@bailiwick/deploy/local/broker.ts';
import { startBrokerContainer } from '@bailiwick/deploy/local/containers.ts';
import type { BrokerProgram } from '@bailiwick/deploy/local/nats-server.ts';
import { firstProvider, wantsContainers } from '@bailiwick/deploy/local/providers.ts';
import { connect } from 'nats';
import type { Stack } from './harness.ts';
import { rowsOf } from './store.ts';

/**
 * A broker for one stack. After `stop` or `kill` it can start again at the same address with its
 * store; after `wipe` with an empty store.
 */
export type TestBroker = {
  url: string;
  storeDir: string;
  stop(): Promise<void>;
  kill(): Promise<void>;
  wipe(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
};

/** The nats-server of the run, or of a single test file. */
export const findProgram = async (): Promise<BrokerProgram> => {
  const program = process.env['BAILIWICK_TEST_BROKER'];
  return program ? (JSON.parse(program) as BrokerProgram) : findBroker(() => {});
};

export function startTestBroker(storeDir: string): Promise<TestBroker> {
  return firstProvider<TestBroker>(
    { own: () => startOwn(storeDir), container: () => startContainer(storeDir) },
    wantsContainers(process.env),
  );
}

async function startOwn(storeDir: string): Promise<TestBroker> {
  const options = { binary: await findProgram(), storeDir, log: () => {} };
  let broker = await startBroker(options);
  const { url, port } = broker;
  const stop = () => broker.stop();
  const kill = () => broker.kill();
  return {
    url,
    storeDir,
    stop,
    kill,
    async wipe() {
      await kill();
      rmSync(path.join(storeDir, 'jetstream'), { recursive: true, force: true });
    },
    remove: stop,
    async start() {
      broker = await startBroker({ ...options, port });
    },
  };
}

/** The store of a container is not accessible, so `wipe` deletes the streams. */
async function startContainer(storeDir: string): Promise<TestBroker> {
  const container = await startBrokerContainer();
  return {
    ...container,
    storeDir,
    async wipe() {
      await deleteStreams(container.url);
      await container.kill();
    },
  };
}

/** The installation of brokers on a test's own server. */
export const testOwner = ownerNamed('test');

/** The installation of a stack, for a test that publishes to its streams. */
export async function ownerOf(stack: Pick<Stack, 'databaseUrl'>): Promise<Owner> {
  const [row] = await rowsOf<{ id: string }>(
    stack,
    'select installation as id from identity.schema_window',
  );
  return ownerNamed(row?.id ?? '');
}

function ownerNamed(id: string): Owner {
  return { id, recognises: () => Promise.resolve(false) };
}

/** Deletes streams and their messages, as an operator could. */
export async function deleteStreams(
  url: string,
  names: readonly string[] = ['EVT', 'TASK'],
): Promise<void> {
  const connection = await connect({ servers: url });
  const { streams } = await connection.jetstreamManager();
  for (const name of names) await streams.delete(name).catch(() => {}); // the stream may not exist
  await connection.close();
}
