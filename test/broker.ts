import { rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { findBroker, startBroker } from '@bailiwick/deploy/local/broker.ts';
import { startBrokerContainer } from '@bailiwick/deploy/local/containers.ts';
import type { BrokerProgram } from '@bailiwick/deploy/local/nats-server.ts';
import { firstWay, wantsContainers } from '@bailiwick/deploy/local/ways.ts';
import { connect } from 'nats';

/**
 * A broker of a stack's own. After `stop` or `kill` it can be started again, at the same place and with what it had; after
 * `wipe` with nothing.
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

/** The nats-server of the run, or of a test file that is run by itself. */
export const findProgram = async (): Promise<BrokerProgram> => {
  const found = process.env['BAILIWICK_TEST_BROKER'];
  return found ? (JSON.parse(found) as BrokerProgram) : findBroker(() => {});
};

export function startTestBroker(storeDir: string): Promise<TestBroker> {
  return firstWay<TestBroker>(
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

/** Its store is out of reach: to wipe it is to have the streams deleted. */
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

/** Deletes streams with all they hold, as somebody might by hand. */
export async function deleteStreams(
  url: string,
  names: readonly string[] = ['EVT', 'TASK'],
): Promise<void> {
  const connection = await connect({ servers: url });
  const { streams } = await connection.jetstreamManager();
  for (const name of names) await streams.delete(name).catch(() => {}); // it may not be there
  await connection.close();
}
