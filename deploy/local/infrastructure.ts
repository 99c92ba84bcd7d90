import { join } from 'node:path';
import { findBroker, startBroker } from './broker.ts';
import { startBrokerContainer, startPostgresContainer } from './containers.ts';
import type { Options } from './options.ts';
import { ensureDatabase, startPostgres } from './postgres.ts';
import { firstProvider } from './providers.ts';
import type { Shutdown, Step } from './shutdown.ts';
import { supervise } from './supervisor.ts';

export type Infrastructure = { databaseUrl: string; natsUrl: string };

type Deps = { shutdown: Shutdown; say(line: string): void; signal: AbortSignal };
type Opened = { url: string; step: Step | undefined };

/**
 * Starts database and broker concurrently. Waits for both before it reports a failure, so that it
 * leaves neither behind.
 */
export async function startInfrastructure(options: Options, deps: Deps): Promise<Infrastructure> {
  const [database, broker] = await Promise.allSettled([
    openDatabase(options, deps.say),
    openBroker(options, deps),
  ]);
  for (const started of [database, broker]) {
    if (started.status === 'fulfilled' && started.value.step) deps.shutdown.add(started.value.step);
  }
  if (database.status === 'rejected') throw database.reason;
  if (broker.status === 'rejected') throw broker.reason;
  const { url, step } = database.value;
  return {
    databaseUrl: step ? await ensureDatabase(url, 'bailiwick') : url,
    natsUrl: broker.value.url,
  };
}

async function openDatabase(
  { databaseUrl, dataDir, containers }: Options,
  say: (line: string) => void,
): Promise<Opened> {
  const own = async (): Promise<Opened> => {
    const settings = {
      dataDir: join(dataDir, 'postgres'),
      logFile: join(dataDir, 'logs/postgres.log'),
      log: say,
    };
    const supervised = await supervise(
      'the database',
      (port) => startPostgres({ ...settings, ...(port !== undefined && { port }) }),
      say,
    );
    return {
      url: supervised.first.url,
      step: { what: 'the database', stop: supervised.stop, kill: supervised.kill },
    };
  };
  const container = () => inContainer('the database', startPostgresContainer, say);
  return firstProvider({ named: named(databaseUrl), own, container }, containers);
}

async function openBroker(
  { natsUrl, dataDir, containers }: Options,
  { say, signal }: Deps,
): Promise<Opened> {
  const own = async (): Promise<Opened> => {
    const binary = await findBroker(say, { signal });
    const settings = {
      binary,
      storeDir: join(dataDir, 'nats'),
      logFile: join(dataDir, 'logs/nats.log'),
      log: say,
    };
    const supervised = await supervise(
      'the broker',
      (port) => startBroker({ ...settings, ...(port !== undefined && { port }) }),
      say,
    );
    return {
      url: supervised.first.url,
      step: { what: 'the broker', stop: supervised.stop, kill: supervised.kill },
    };
  };
  const container = () => inContainer('the broker', startBrokerContainer, say);
  return firstProvider({ named: named(natsUrl), own, container }, containers);
}

const named = (url: string | undefined): Opened | undefined =>
  url === undefined ? undefined : { url, step: undefined };

async function inContainer(
  what: string,
  start: typeof startBrokerContainer,
  say: (line: string) => void,
): Promise<Opened> {
  const server = await start();
  say(`${what} runs in a container, and its data goes with it`);
  return { url: server.url, step: { what, stop: server.remove, kill: server.remove } };
}
