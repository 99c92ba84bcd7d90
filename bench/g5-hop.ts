import { generateKeyPairSync } from 'node:crypto';
import type { OwnStack } from '@bailiwick/test/support/harness.ts';
import { cpuMicrosOf, median } from '@bailiwick/test/support/numbers.ts';
import {
  type Bench,
  compare,
  compareCost,
  interleave,
  type Options,
  type Row,
  withErrors,
} from './bench.ts';
import { closedLoop, openLoop, openPool, type Target } from './driver.ts';
import { startPeer } from './peer.ts';
import type { HopKind } from './peers/hop-client.ts';
import { createPeople, pidsOf, reads, startMeasured } from './stack.ts';

/** Calls a second of half a load before the first turn at full load has ended. */
const firstRate = 600;

type SplitTarget = Target & { stack: OwnStack };

/**
 * G5, the cost of a call between processes: the CPU time of both ends, and a read in five processes
 * compared with one.
 */
export const hop: Bench = async (options) => [
  ...(await hopCost(options)),
  ...(await splitCost(options)),
];

async function hopCost({ seconds, rounds }: Options): Promise<Row[]> {
  const keys = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const server = await startPeer<Record<string, string>>('hop-server.ts', keys.publicKey);
  const client = await startPeer('hop-client.ts', keys.privateKey, JSON.stringify(server.ready));
  const turn = (kind: HopKind) => async () => {
    const before = cpuMicrosOf(client.pid, server.pid);
    const result = await client.ask<{ calls: number; errors: number; perSecond: number }>({
      kind,
      seconds,
    });
    return { ...result, cpu: (cpuMicrosOf(client.pid, server.pid) - before) / result.calls };
  };
  const results = await interleave(
    { own: turn('own'), person: turn('person'), h2: turn('h2'), http1: turn('http1') },
    rounds,
  );
  await Promise.all([client.stop(), server.stop()]);

  const cpuOf = (kind: HopKind) => results[kind].map(({ cpu }) => cpu);
  const row = { id: 'G5', unit: 'µs' };
  const own = { ...row, what: "CPU of a hop, both ends, in a service's own name" };
  const person = { ...row, what: 'CPU of a hop, both ends, for a person' };
  const h2 = 'connect-node over HTTP/2, unsigned';
  const rows: Row[] = [
    { ...own, ours: median(cpuOf('own')), target: { most: 90 } },
    { ...person, ours: median(cpuOf('person')), target: { most: 90 } },
    compareCost({ ...own, against: h2, target: { least: 2 } }, cpuOf('own'), cpuOf('h2')),
    compareCost({ ...person, against: h2, target: { least: 2 } }, cpuOf('person'), cpuOf('h2')),
    compareCost(
      { ...own, against: 'connect-node over HTTP/1.1, unsigned' },
      cpuOf('own'),
      cpuOf('http1'),
    ),
  ];
  return rows.map((each) =>
    withErrors(each, results.own, results.person, results.h2, results.http1),
  );
}

async function splitCost({ seconds, rounds }: Options): Promise<Row[]> {
  const [five, one] = await Promise.all([
    startMeasured('five processes'),
    startMeasured('one process'),
  ]);
  const targets = await Promise.all(
    [five, one].map(async (stack) => ({
      stack,
      pool: openPool(stack.url),
      next: reads(await createPeople(stack, 40)),
    })),
  );
  const turn = (target: SplitTarget | undefined) => async () => {
    if (!target) throw new Error('nothing to measure');
    const before = cpuMicrosOf(...pidsOf(target.stack));
    const result = await closedLoop(target, 8, seconds);
    return { ...result, cpu: (cpuMicrosOf(...pidsOf(target.stack)) - before) / result.calls };
  };
  let fastest = firstRate;
  const results = await interleave(
    {
      five: async () => {
        const result = await turn(targets[0])();
        fastest = Math.max(fastest, result.perSecond);
        return result;
      },
      one: turn(targets[1]),
      half: async () => halfLoad(targets[0], fastest / 2, seconds),
    },
    rounds,
  );
  const row = { id: 'G5', against: 'one process' };
  const of = (name: 'five' | 'one', key: 'cpu' | 'perSecond') =>
    results[name].map((result) => result[key]);
  const rows = [
    compare(
      { ...row, what: 'Users_GetByEmail, five processes', unit: '1/s', target: { least: 0.5 } },
      of('five', 'perSecond'),
      of('one', 'perSecond'),
    ),
    compareCost(
      { ...row, what: 'CPU of Users_GetByEmail, five processes', unit: 'µs' },
      of('five', 'cpu'),
      of('one', 'cpu'),
    ),
  ];
  const half = compare(
    {
      id: 'G5',
      what: 'CPU of Users_GetByEmail at half load, five processes',
      unit: 'µs',
      against: 'at full load',
      target: { most: 1.5 },
    },
    results.half.map(({ cpu }) => cpu),
    of('five', 'cpu'),
  );
  await Promise.all(targets.flatMap(({ pool, stack }) => [pool.close(), stack.stop()]));
  return [
    ...rows.map((each) => withErrors(each, results.five, results.one)),
    withErrors(half, results.half, results.five),
  ];
}

/** The CPU time of a call at a fixed rate, where each process wakes up for one or a few calls. */
async function halfLoad(target: SplitTarget | undefined, rate: number, seconds: number) {
  if (!target) throw new Error('nothing to measure');
  const before = cpuMicrosOf(...pidsOf(target.stack));
  const { errors } = await openLoop(target, rate, seconds);
  const calls = Math.round(rate * seconds);
  return { errors, cpu: (cpuMicrosOf(...pidsOf(target.stack)) - before) / calls };
}
