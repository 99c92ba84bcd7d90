import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { Wiring } from '@bailiwick/deploy/local/environment.ts';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import type { ManagedProcess } from '@bailiwick/deploy/local/processes.ts';
import { waitUntilReady } from '@bailiwick/deploy/local/ready.ts';
import { type ServiceName, serviceNames } from '@bailiwick/deploy/local/secrets.ts';
import { type Replica, startBalancer } from './balancer.ts';
import { startCable } from './cable.ts';
import { eventually, type StackOptions, startStack } from './harness.ts';
import { choosePorts, startProcesses } from './own-stack.ts';

// Two replicas of every process over one database and one broker.

const called = ['identity', 'access', 'sso', 'notifications'] as const;
const topologies = { http: 'five processes', grpc: 'five processes over gRPC' } as const;

/** The addresses of the replicas for other processes: a balancer for each service, or a list. */
export async function leadTo(wire: 'http' | 'grpc', ports: ReadonlyArray<Wiring['ports']>) {
  const replicasOf = (name: ServiceName): Replica[] =>
    ports.map((own) => ({ port: own[name].rpc, admin: own[name].admin }));
  const balancers =
    wire === 'http'
      ? await Promise.all(
          called.map(async (name) => [name, await startBalancer(replicasOf(name))] as const),
        )
      : [];
  const urls =
    wire === 'http'
      ? balancers.map(([name, { url }]) => [name, url] as const)
      : called.map(
          (name) =>
            [name, `ipv4:${ports.map((own) => `${loopback}:${own[name].grpc}`).join()}`] as const,
        );
  return {
    environment: Object.fromEntries(
      urls.map(([name, url]) => [`BAILIWICK_${name.toUpperCase()}_URL`, url]),
    ),
    gateways: replicasOf('gateway'),
    close: () => Promise.all(balancers.map(([, balancer]) => balancer.close())),
  };
}

/** Starts two replicas of every process. */
export async function startReplicas(
  wire: 'http' | 'grpc',
  more: Record<string, string> = {},
  options: Pick<StackOptions, 'brokers'> = {},
) {
  const ports = [await choosePorts(), await choosePorts()] as const;
  const way = await leadTo(wire, ports);
  const stops: Array<() => Promise<unknown>> = [way.close];
  const stop = async () => {
    for (const one of stops.toReversed()) await one();
  };
  const environment = { ...way.environment, BAILIWICK_LIMITS: 'off', ...more };
  const stack = await startStack(topologies[wire], environment, {
    ...options,
    ports: ports[0],
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  stops.push(() => stack.stop());
  const cable = await startCable(stack.wiring.natsUrl);
  stops.push(() => Promise.resolve(cable.close()));
  const wiring = { ...stack.wiring, ports: ports[1], natsUrl: cable.url };
  const second = startProcesses({
    topology: topologies[wire],
    wiring,
    logDir: path.join(stack.folder, 'logs-2'),
    environment,
  });
  stops.push(() => Promise.all([...second.values()].map((one) => one.stop())));
  const replicas = [stack.processes, second] as const;

  const ready = (index: 0 | 1, names: readonly ServiceName[] = serviceNames) => {
    const urlsOf = names.map((name) => `http://${loopback}:${ports[index][name].admin}/readyz`);
    return waitUntilReady(urlsOf, [...replicas[index].values()], AbortSignal.timeout(90_000));
  };
  try {
    await ready(1);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    stack,
    stop,
    gateways: way.gateways,
    /** The proxy between the second replica and the broker. */
    cable,
    /** Sends SIGTERM to a process, and waits until its successor is ready. */
    async replace(index: 0 | 1, name: ServiceName): Promise<void> {
      const managed = replicas[index].get(name) as ManagedProcess;
      const before = managed.pid();
      if (before === undefined) throw new Error(`${name} is not running`);
      process.kill(before, 'SIGTERM');
      await eventually(
        `${name} to run again`,
        () => Promise.resolve(managed.pid() !== undefined && managed.pid() !== before),
        60_000,
      );
      await ready(index, [name]);
    },
    logs: () =>
      errorsIn(replicas.flatMap((replica) => [...replica.values()].map(({ logFile }) => logFile))),
  };
}

/** The error lines of the logs: time, service, message and the first lines of the error. */
export const errorsIn = (logFiles: readonly string[]): string =>
  logFiles
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .filter((line) => line.includes('"level":"error"'))
    .map(
      (line) =>
        JSON.parse(line) as { time: string; service: string; message: string; error?: string },
    )
    .map(({ time, service, message, error = '' }) =>
      [time, service, message, ...error.split('\n').filter((line) => !/^ +at /.test(line))].join(
        ' | ',
      ),
    )
    .slice(0, 30)
    .join('\n');
