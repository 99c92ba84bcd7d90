import { join } from 'node:path';
import { findBroker, startBroker } from './broker.ts';
import { keepRunning } from './keep.ts';
import type { Options } from './options.ts';
import { ensureDatabase, startPostgres } from './postgres.ts';
import type { Stops } from './stops.ts';

export type Infrastructure = { databaseUrl: string; natsUrl: string };

type Means = { stops: Stops; say(line: string): void; signal: AbortSignal };

/** Database and broker at once. Both are waited for before a failure is reported, so that neither is left behind. */
export async function startInfrastructure(options: Options, means: Means): Promise<Infrastructure> {
  const [database, broker] = await Promise.allSettled([openDatabase(options, means.say), openBroker(options, means)]);
  for (const started of [database, broker]) {
    if (started.status === 'fulfilled' && started.value.step) means.stops.add(started.value.step);
  }
  if (database.status === 'rejected') throw database.reason;
  if (broker.status === 'rejected') throw broker.reason;
  const { url } = database.value;
  return { databaseUrl: options.databaseUrl ?? (await ensureDatabase(url, 'bailiwick')), natsUrl: broker.value.url };
}

async function openDatabase({ databaseUrl, dataDir }: Options, say: (line: string) => void) {
  if (databaseUrl !== undefined) return { url: databaseUrl, step: undefined };
  const settings = { dataDir: join(dataDir, 'postgres'), logFile: join(dataDir, 'logs/postgres.log'), log: say };
  const kept = await keepRunning('the database', (port) => startPostgres({ ...settings, ...(port !== undefined && { port }) }), say);
  return { url: kept.first.url, step: { what: 'the database', stop: kept.stop, kill: kept.kill } };
}

async function openBroker({ natsUrl, dataDir }: Options, { say, signal }: Means) {
  if (natsUrl !== undefined) return { url: natsUrl, step: undefined };
  const binary = await findBroker(say, { signal });
  const settings = { binary, storeDir: join(dataDir, 'nats'), logFile: join(dataDir, 'logs/nats.log'), log: say };
  const kept = await keepRunning('the broker', (port) => startBroker({ ...settings, ...(port !== undefined && { port }) }), say);
  return { url: kept.first.url, step: { what: 'the broker', stop: kept.stop, kill: kept.kill } };
}
