import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnStack, Topology } from '@bailiwick/test/support/harness.ts';
import { median, proportionalMbOf, residentMbOf, sum } from '@bailiwick/test/support/numbers.ts';
import { type Bench, compare, type Options, type Row } from './bench.ts';
import { closedLoop, cycle, openPool, operation } from './driver.ts';
import { startPeer } from './peer.ts';
import { processesOf, slowestStart } from './replica.ts';
import { createPeople, pidsOf, reads, signIns, startMeasured } from './stack.ts';

const root = path.resolve(import.meta.dirname, '..');
const settleMs = 3000;
/** The memory of a start varies little. */
const mostStarts = 3;

/** The idle limit of each topology, in MB. */
const mostIdle: Partial<Record<Topology, number>> = {
  'one process': 190,
  'two processes': 330,
  'five processes': 650,
};

const starts: Partial<Record<Topology, string>> = {
  'two processes': 'slower of two',
  'five processes': 'slowest of five',
};

/**
 * G10, memory and start: idle compared with the same modules only loaded, under load compared with
 * idle, and the time until a process is ready.
 */
export const memory: Bench = async (options) => [
  ...(await memoryOf('one process', options)),
  ...(await memoryOf('two processes', options)),
  ...(await memoryOf('five processes', options)),
];

async function memoryOf(topology: Topology, { seconds, rounds }: Options): Promise<Row[]> {
  const idle: number[] = [];
  const proportional: number[] = [];
  const imported: number[] = [];
  const loaded: number[] = [];
  const ready: number[] = [];
  let errors = 0;
  for (let round = 0; round < Math.min(rounds, mostStarts); round++) {
    imported.push(await importsAlone(topology));
    const stack = await startMeasured(topology);
    await sleep(settleMs);
    idle.push(residentMbOf(...pidsOf(stack)));
    proportional.push(proportionalMbOf(...pidsOf(stack)));
    const underLoad = await loadEverything(stack, 2 * seconds);
    loaded.push(underLoad.most);
    errors += underLoad.errors;
    ready.push(await slowestStart(stack, topology));
    await stack.stop();
  }
  const row = { id: 'G10', unit: 'MB' };
  return [
    compare(
      { ...row, what: `idle, ${topology}`, against: 'the imports alone', target: { most: 1.25 } },
      idle,
      imported,
    ),
    {
      ...row,
      what: `idle, ${topology}`,
      ours: median(idle),
      target: { most: mostIdle[topology] ?? 0 },
    },
    { ...row, what: `idle, shared pages counted once, ${topology}`, ours: median(proportional) },
    {
      ...compare(
        { ...row, what: `most under full load, ${topology}`, against: 'idle', target: { most: 2 } },
        loaded,
        idle,
      ),
      errors,
    },
    {
      id: 'G10',
      what: `start until ready, ${starts[topology] ?? topology}`,
      unit: 's',
      ours: median(ready),
      target: { most: 1.5 },
    },
  ];
}

/** The memory of each process's modules, loaded in processes of their own. */
async function importsAlone(topology: Topology): Promise<number> {
  const peers = await Promise.all(
    processesOf(topology).map(({ script }) => startPeer('imports.ts', ...importsOf(script))),
  );
  await sleep(settleMs);
  const residentMb = residentMbOf(...peers.map(({ pid }) => pid));
  await Promise.all(peers.map((peer) => peer.stop()));
  return residentMb;
}

/**
 * The imports of a main, and the telemetry modules that each process loads after it has read its
 * environment (packages/process/telemetry/telemetry.ts).
 */
function importsOf(main: string): string[] {
  const text = readFileSync(path.join(root, main), 'utf8');
  const written = [...text.matchAll(/^import .* from '([^']+)';$/gm)].flatMap(
    ([, name]) => name ?? [],
  );
  const telemetry = ['sdk-metrics', 'resources', 'exporter-prometheus'].map(
    (name) => `@opentelemetry/${name}`,
  );
  return [
    ...written.filter((name) => !name.startsWith('node:')).map(resolver(main)),
    ...telemetry.map(resolver('packages/process/telemetry/telemetry.ts')),
  ];
}

const resolver = (file: string) => {
  const { resolve } = createRequire(path.join(root, file));
  return (name: string): string => resolve(name);
};

/**
 * Everything at once: reads, sign-ins, and writes with their events, audit entries and deliveries
 * without a receiver.
 */
async function loadEverything(
  stack: OwnStack,
  seconds: number,
): Promise<{ most: number; errors: number }> {
  const people = await createPeople(stack, 20);
  const next = cycle(people);
  const pool = openPool(stack.url);
  const update = () =>
    operation('Account_Update', { User: { Name: `Person ${Math.random()}` } }, next().token);
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, residentMbOf(...pidsOf(stack)));
  }, 100);
  const results = await Promise.all([
    closedLoop({ pool, next: reads(people) }, 32, seconds),
    closedLoop({ pool, next: signIns(people) }, 16, seconds),
    closedLoop({ pool, next: update }, 16, seconds),
  ]);
  clearInterval(watch);
  await pool.close();
  return { most, errors: sum(results.map(({ errors }) => errors)) };
}
