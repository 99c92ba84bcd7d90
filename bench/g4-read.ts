import { cpuMicrosOf } from '@bailiwick/test/support/numbers.ts';
import { type Bench, compare, compareCost, interleave, withErrors } from './bench.ts';
import { startBetterAuth } from './better-auth.ts';
import { closedLoop, openPool, type Target } from './driver.ts';
import { startPeer } from './peer.ts';
import { createPeople, pidsOf, reads, startMeasured } from './stack.ts';

const users = 40;

/**
 * G4, an authenticated read: Users_GetByEmail in one process compared with Better Auth's
 * get-session, and with two prepared statements behind node:http. "A core" is the process's CPU
 * time for a call, without the database's.
 */
export const read: Bench = async ({ seconds, rounds }) => {
  const [stack, betterAuth] = await Promise.all([
    startMeasured('one process'),
    startBetterAuth('default', users),
  ]);
  const prototype = await startPeer<{ url: string }>('prototype.ts', stack.databaseUrl);
  const next = reads(await createPeople(stack, users));
  const target = { pool: openPool(stack.url), next };
  const bare = { pool: openPool(prototype.ready.url), next };
  const turn =
    (to: Target, ...pids: number[]) =>
    async () => {
      const before = cpuMicrosOf(...pids);
      const result = await closedLoop(to, 8, seconds);
      return { ...result, cpu: (cpuMicrosOf(...pids) - before) / result.calls };
    };
  const { ours, session, floor } = await interleave(
    {
      ours: turn(target, ...pidsOf(stack)),
      session: turn(betterAuth.sessions, betterAuth.pid),
      floor: turn(bare, prototype.pid),
    },
    rounds,
  );
  const row = { id: 'G4', what: 'Users_GetByEmail, one process' };
  const cpu = { ...row, what: `CPU of ${row.what}`, unit: 'µs' };
  const of = (results: typeof ours, key: 'cpu' | 'perSecond') =>
    results.map((result) => result[key]);
  const peer = 'Better Auth get-session';
  const rows = [
    compareCost(
      { ...cpu, against: peer, target: { least: 5 } },
      of(ours, 'cpu'),
      of(session, 'cpu'),
    ),
    compare(
      { ...row, unit: '1/s', against: peer },
      of(ours, 'perSecond'),
      of(session, 'perSecond'),
    ),
    compare(
      { ...row, unit: '1/s', against: 'node:http and pg', target: { least: 0.6 } },
      of(ours, 'perSecond'),
      of(floor, 'perSecond'),
    ),
    compareCost({ ...cpu, against: 'node:http and pg' }, of(ours, 'cpu'), of(floor, 'cpu')),
  ].map((each) => withErrors(each, ours, session, floor));
  await Promise.all([
    target.pool.close(),
    bare.pool.close(),
    stack.stop(),
    betterAuth.stop(),
    prototype.stop(),
  ]);
  return rows;
};
