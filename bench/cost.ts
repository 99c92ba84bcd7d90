import { setTimeout as sleep } from 'node:timers/promises';
import { serviceNames } from '@bailiwick/deploy/local/secrets.ts';
import type { OwnStack } from '@bailiwick/test/support/harness.ts';
import { cpuMicrosOf, endedCpuMicrosOf, pidsStartedAs } from '@bailiwick/test/support/numbers.ts';
import { rowsOf } from '@bailiwick/test/support/store.ts';
import type { Row } from './bench.ts';

// What a piece of work costs until all that follows from it is done: events and audit entries of a
// change are made after its reply.

/** CPU in µs, by the program that took it. */
type Cpu = Record<string, number>;

export type Cost = {
  /** Until the work has ended, and until everything that follows from it has. */
  seconds: number;
  settledSeconds: number;
  cpu: Cpu;
};

const settleStepMs = 50;

export async function costOf(stack: OwnStack, work: () => Promise<void>): Promise<Cost> {
  await settled(stack);
  const before = cpuOf(stack);
  const started = performance.now();
  const secondsSoFar = () => (performance.now() - started) / 1000;
  await work();
  const seconds = secondsSoFar();
  await settled(stack);
  const settledSeconds = secondsSoFar();
  const after = Object.entries(cpuOf(stack));
  const cpu = Object.fromEntries(
    after.map(([name, micros]) => [name, micros - (before[name] ?? 0)]),
  );
  return { seconds, settledSeconds, cpu };
}

function cpuOf(stack: OwnStack): Cpu {
  const services = serviceNames.map((name) => [name, cpuMicrosOf(stack.pid(name))]);
  // Connections that are idle end, with their processes.
  const databasePids = pidsStartedAs('postgres');
  return Object.fromEntries([
    ...services,
    ['the database', cpuMicrosOf(...databasePids) + endedCpuMicrosOf(...databasePids)],
    ['the broker', cpuMicrosOf(...pidsStartedAs('nats-server'))],
  ]);
}

/** Waits until each change is audited and each member can be found by name. */
async function settled(stack: OwnStack): Promise<void> {
  const count = (table: string) => `(select count(*) from ${table})`;
  const changes = ['access', 'identity', 'notifications', 'sso']
    .map((service) => count(`${service}.outbox`))
    .join(' + ');
  const isDone = `${changes} = ${count('access.audit_entry')} as done,
    ${count('access.tenant_member where described_at is null')} = 0 as described`;
  for (;;) {
    const [row] = await rowsOf(stack, `select ${isDone}`, []);
    if (row?.['done'] === true && row['described'] === true) return;
    await sleep(settleStepMs);
  }
}

/** The rows of a cost, for each of `count` people. */
export const costRows = (id: string, what: string, { cpu }: Cost, count: number): Row[] =>
  [['all programs', total(cpu)] as const, ...Object.entries(cpu)].map(([name, micros]) => ({
    id,
    what: `CPU of ${what}, ${name}`,
    unit: 'µs',
    ours: micros / count,
  }));

const total = (cpu: Cpu): number => Object.values(cpu).reduce((sum, micros) => sum + micros, 0);
