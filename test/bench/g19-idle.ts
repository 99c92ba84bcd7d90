import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceName, serviceNames } from '@bailiwick/deploy/local/secrets.ts';
import { rowsOf } from '../support/store.ts';
import { type Bench, type Row } from './bench.ts';
import { cpuMicrosOf, median, sum } from './numbers.ts';
import { createPeople, startMeasured } from './stack.ts';

/** Time after the last call, so that short-lived caches and keep-alive connections have ended. */
const settleMs = 15_000;
const perRoundMs = 10_000;

/** G19, idle: the CPU time that processes without calls take, and their database. */
export const idle: Bench = async ({ rounds }) => {
  const stack = await startMeasured('five processes');
  await createPeople(stack, 1);
  await sleep(settleMs);
  const backends = await rowsOf<{ pid: number }>(
    stack,
    "select pid from pg_stat_activity where application_name like 'bailiwick-%' and datname = current_database() and pid <> pg_backend_pid()",
  );
  const measured: Record<string, number[]> = {
    ...Object.fromEntries(serviceNames.map((name) => [name, [stack.pid(name)]])),
    database: backends.map(({ pid }) => pid),
  };
  const turns: Array<Record<string, number>> = [];
  for (let round = 0; round < rounds; round++) {
    const before = cpuOf(measured);
    await sleep(perRoundMs);
    const after = cpuOf(measured);
    turns.push(
      Object.fromEntries(
        Object.entries(after).map(([name, micros]) => [
          name,
          (micros - (before[name] ?? 0)) / perRoundMs,
        ]),
      ),
    );
  }
  await stack.stop();
  const row = (what: string, values: number[], most?: number): Row => ({
    id: 'G19',
    what,
    unit: 'ms/s',
    ours: median(values),
    ...(most !== undefined && { target: { most } }),
  });
  const of = (names: readonly string[]) =>
    turns.map((turn) => sum(names.map((name) => turn[name] ?? 0)));
  return [
    row('CPU of five idle processes', of(serviceNames), 10),
    row('CPU of their connections in the database', of(['database']), 5),
    ...serviceNames.map((name: ServiceName) => row(`of ${name}`, of([name]))),
  ];
};

const cpuOf = (measured: Readonly<Record<string, readonly number[]>>): Record<string, number> =>
  Object.fromEntries(Object.entries(measured).map(([name, pids]) => [name, cpuMicrosOf(...pids)]));
