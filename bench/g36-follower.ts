import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createFollower } from '@bailiwick/server/follower/follower.ts';
import { hostPlatform } from '@bailiwick/server/follower/platform.ts';
import type { Rights } from '@bailiwick/server/follower/rights.ts';
import { credential, startGateway } from '@bailiwick/server/testing/gateway.ts';
import { audience, startIssuer } from '@bailiwick/server/testing/issuer.ts';
import { verifier } from '@bailiwick/server/verifier.ts';
import { median } from '@bailiwick/test/support/numbers.ts';
import { type Bench, compareCost, interleave, type Row } from './bench.ts';
import { cycle } from './driver.ts';

const tokens = 20;
const grants = 100;
const roles = 10;
/** Subjects in memory. */
const entries = 1000;

/**
 * G36, a follower in the process of an application: a decision from memory, a verified token with
 * and without the question whether it has ended, and the memory of a grant.
 */
export const following: Bench = async ({ seconds, rounds }) => {
  const endings: Array<() => void> = [];
  const t = { after: (end: unknown) => void endings.push(end as () => void) };
  try {
    return [
      // First, since the others leave garbage.
      await remembering(t),
      await deciding(t, seconds, rounds),
      await verifyingBeside(t, seconds, rounds),
    ];
  } finally {
    for (const end of endings) end();
  }
};

type Ends = Parameters<typeof startGateway>[0];

/** Ten roles of twenty permissions; each grant is one of them on a resource. */
function stateOf(serial: number) {
  const permissions = Array.from({ length: 20 }, (_, index) => `app.area${index}`);
  const Sets = Array.from({ length: roles }, (_, role) =>
    permissions.map((name, index) => `${name}.role${role}.${index % 5 === 0 ? '*' : 'read'}`),
  );
  const resources = Array.from({ length: grants }, (_, index) => [
    `document:${serial}-${index}`,
    [index % roles],
  ]);
  return { Scopes: ['app.*'], Sets, Grants: { '': [0], ...Object.fromEntries(resources) } };
}

async function startFollower(t: Ends) {
  let serial = 0;
  const gateway = await startGateway(t, { answer: () => ({ Value: stateOf(serial++) }) });
  const follower = createFollower({ url: gateway.url, credential }, hostPlatform());
  t.after(() => follower.close());
  await follower.ready();
  return follower;
}

const userOf = (index: number): string => `usr_${String(index).padStart(26, '0')}`;
const tenant = `tnt_${'0'.repeat(26)}`;

/** The slowest percent of the decisions, timed one by one. */
async function deciding(t: Ends, seconds: number, rounds: number): Promise<Row> {
  const rights = await (await startFollower(t)).rightsOf(userOf(1), tenant);
  const decide = (call: number): number => {
    const [area, role] = [call % 20, call % roles];
    const before = performance.now();
    const isAllowed = rights.can(`app.area${area}.role${role}.read`, `document:0-${call % grants}`);
    const micros = (performance.now() - before) * 1000;
    if (!isAllowed) throw new Error('a permission was denied');
    return micros;
  };
  const results = await interleave(
    {
      async can() {
        const micros: number[] = [];
        const until = performance.now() + seconds * 1000;
        while (performance.now() < until) {
          for (let call = 0; call < 1000; call++) micros.push(decide(call));
          // Lets the frames in that extend the lease.
          await new Promise<void>((resolve) => setImmediate(resolve));
        }
        return micros.toSorted((a, b) => a - b)[Math.floor(micros.length * 0.99)] ?? Number.NaN;
      },
    },
    rounds,
  );
  return {
    id: 'G36',
    what: `can() of a follower, ${grants} grants, p99`,
    unit: 'µs',
    ours: median(results.can),
    target: { most: 5 },
  };
}

async function verifyingBeside(t: Ends, seconds: number, rounds: number): Promise<Row> {
  const follower = await startFollower(t);
  const { issuer, sign } = await startIssuer(t);
  const signed = await Promise.all(Array.from({ length: tokens }, () => sign({ sid: 'ses_1' })));
  const turn = (verify: (token: string) => Promise<unknown>) => async () => {
    const next = cycle(signed);
    const started = performance.now();
    let calls = 0;
    while (performance.now() - started < seconds * 1000) {
      for (let index = 0; index < 50; index++) await verify(next());
      calls += 50;
    }
    return ((performance.now() - started) * 1000) / calls;
  };
  const results = await interleave(
    {
      ours: turn(verifier({ issuer, audience, follower })),
      bare: turn(verifier({ issuer, audience })),
    },
    rounds,
  );
  return compareCost(
    {
      id: 'G36',
      what: 'verifier() with a follower that has the answer in memory',
      unit: 'µs',
      against: 'without a follower',
      // At most 1.1 times the time.
      target: { least: 0.91 },
    },
    results.ours,
    results.bare,
  );
}

async function remembering(t: Ends): Promise<Row> {
  const follower = await startFollower(t);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    // Objects with finalizers take a second time.
    collect();
    collect();
    return process.memoryUsage().heapUsed;
  };
  await follower.rightsOf(userOf(0), tenant);
  const before = used();
  const rights: Rights[] = [];
  for (let index = 1; index <= entries; index++)
    rights.push(await follower.rightsOf(userOf(index), tenant));
  const bytes = used() - before;
  if (!rights.every((one) => one.isCurrent())) throw new Error('the lease has ended meanwhile');
  return {
    id: 'G36',
    what: `memory of a follower for each grant, ${entries} subjects with ${grants} grants`,
    unit: 'bytes',
    ours: bytes / (entries * grants),
    target: { most: 200 },
  };
}
