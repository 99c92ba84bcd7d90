import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceName, serviceNames } from '@bailiwick/deploy/local/secrets.ts';
import { cpuMicrosOf, median, pidsStartedAs, sum } from '@bailiwick/test/support/numbers.ts';
import { type Bench, type Row } from './bench.ts';
import { createPeople, startMeasured } from './stack.ts';

/** Time after the last call, so that short-lived caches and keep-alive connections have ended. */
const settleMs = 15_000;
const perRoundMs = 10_000;

const servers = ['postgres', 'nats-server'];

/** G20, idle: the CPU time that processes without calls, the database and the broker take. */
export const idle: Bench = async ({ rounds }) => {
  const stack = await startMeasured('five processes');
  await createPeople(stack, 1);
  await sleep(settleMs);
  const pids = [
    ...serviceNames.map((name) => [name, [stack.pid(name)]] as const),
    ...servers.map((name) => [name, pidsStartedAs(name)] as const),
  ];
  const turns: Array<Record<string, number>> = [];
  for (let round = 0; round < rounds; round++) {
    const before = cpuOf(pids);
    await sleep(perRoundMs);
    const after = cpuOf(pids);
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
    id: 'G20',
    what,
    unit: 'ms/s',
    ours: median(values),
    ...(most !== undefined && { target: { most } }),
  });
  const of = (names: readonly string[]) =>
    turns.map((turn) => sum(names.map((name) => turn[name] ?? 0)));
  return [
    row('CPU of five idle processes', of(serviceNames), 10),
    ...serviceNames.map((name: ServiceName) => row(`of ${name}`, of([name]))),
    row('CPU of PostgreSQL and the broker meanwhile', of(servers), 10),
  ];
};

const cpuOf = (pids: ReadonlyArray<readonly [string, readonly number[]]>): Record<string, number> =>
  Object.fromEntries(pids.map(([name, of]) => [name, cpuMicrosOf(...of)]));
