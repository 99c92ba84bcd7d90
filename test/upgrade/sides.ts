import path from 'node:path';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import type { ManagedProcess } from '@bailiwick/deploy/local/processes.ts';
import { waitUntilReady } from '@bailiwick/deploy/local/ready.ts';
import type { ServiceName } from '@bailiwick/deploy/local/secrets.ts';
import { createTestDatabase } from '../support/database.ts';
import { startStack } from '../support/harness.ts';
import { choosePorts, startProcesses } from '../support/own-stack.ts';
import { errorsIn, leadTo } from '../support/replicas.ts';
import type { MigratingVersion } from './versions.ts';

// Two versions with one database and one broker, each with all of its processes. Every call goes to
// a version that is ready.

const topology = 'five processes';
/** The gateway last, so that for a while only the other version's services are behind it. */
const goingOrder = [
  'notifications',
  'sso',
  'access',
  'identity',
  'gateway',
] as const satisfies readonly ServiceName[];

export type Side = 'previous' | 'current';

/** Starts the previous version, with the schema of its own migrations. */
export async function startSides(
  versions: Record<Side, MigratingVersion>,
  more: Record<string, string>,
) {
  const ports = { previous: await choosePorts(), current: await choosePorts() };
  const database = await createTestDatabase({ isEmpty: true });
  const way = await leadTo('http', [ports.previous, ports.current]);
  const stops: Array<() => Promise<unknown>> = [way.close];
  const stop = async () => {
    for (const one of stops.toReversed()) await one();
  };
  const environment = { ...way.environment, BAILIWICK_LIMITS: 'off', ...more };
  const begin = async () => {
    await versions.previous.migrate(database.url);
    return startStack(topology, environment, {
      ports: ports.previous,
      database,
      version: versions.previous,
    });
  };
  const stack = await begin().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  stops.push(() => stack.stop());
  const logFiles = new Set<string>();
  const running: Partial<Record<Side, Map<string, ManagedProcess>>> = {};
  const keep = (side: Side, processes: Map<string, ManagedProcess>) => {
    running[side] = processes;
    for (const { logFile } of processes.values()) logFiles.add(logFile);
    stops.push(() => Promise.all([...processes.values()].map((one) => one.stop())));
  };
  keep('previous', stack.processes);

  return {
    stack,
    stop,
    gateways: way.gateways,
    urlOf: (side: Side) => `http://${loopback}:${ports[side].gateway.rpc}`,
    migrate: () => versions.current.migrate(database.url),
    /** Starts a version beside the other one, and waits until it is ready. */
    async bring(side: Side): Promise<void> {
      const wiring = { ...stack.wiring, ports: ports[side] };
      const processes = startProcesses({
        topology,
        wiring,
        logDir: path.join(stack.folder, `logs-${side}`),
        environment,
        version: versions[side],
      });
      keep(side, processes);
      const urls = [...processes.keys()].map(
        (name) => `http://${loopback}:${ports[side][name as ServiceName].admin}/readyz`,
      );
      await waitUntilReady(urls, [...processes.values()], AbortSignal.timeout(90_000));
    },
    /** Stops a version, one process after the other. */
    async takeAway(side: Side): Promise<void> {
      for (const name of goingOrder) await running[side]?.get(name)?.stop();
    },
    errors: () => errorsIn([...logFiles]),
  };
}
