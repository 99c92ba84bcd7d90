import { cpuMicrosOf } from '@bailiwick/test/support/numbers.ts';
import { type Bench, compareCost, interleave, withErrors } from './bench.ts';
import { closedLoop, cycle, openPool, type Shot } from './driver.ts';
import { checks, clients, members } from './g21-check.ts';
import { pidsOf, startMeasured } from './stack.ts';

/**
 * G24, a decision through AuthZEN, beside the same decision through Access_Check: both ask about the
 * members of G21, with as many clients.
 */
export const authzen: Bench = async ({ seconds, rounds }) => {
  const stack = await startMeasured('five processes');
  const pool = openPool(stack.url);
  const ask = (await checks(stack))('app.direct.read');
  const shots = Array.from({ length: members }, ask);
  const turn = (all: readonly Shot[]) => async () => {
    const next = cycle(all);
    const before = cpuMicrosOf(...pidsOf(stack));
    const { calls, errors } = await closedLoop({ pool, next }, clients, seconds);
    return { cpu: (cpuMicrosOf(...pidsOf(stack)) - before) / calls, errors };
  };
  const results = await interleave(
    { evaluation: turn(shots.map(evaluationOf)), check: turn(shots) },
    rounds,
  );
  await pool.close();
  await stack.stop();
  const row = compareCost(
    {
      id: 'G24',
      what: 'CPU of an AuthZEN evaluation, without the database and the broker',
      unit: 'µs',
      against: 'Access_Check',
      // At most 1.1 times the cost.
      target: { least: 0.91 },
    },
    results.evaluation.map(({ cpu }) => cpu),
    results.check.map(({ cpu }) => cpu),
  );
  return [withErrors(row, results.evaluation, results.check)];
};

/** The evaluation that asks what this Access_Check asks. */
function evaluationOf(shot: Shot): Shot {
  const { Tenant, Subject, Permission } = JSON.parse(shot.body ?? '') as Record<string, string>;
  const body = {
    subject: { type: 'user', id: Subject },
    action: { name: Permission },
    resource: { type: 'tenant', id: Tenant },
  };
  return { ...shot, path: '/access/v1/evaluation', body: JSON.stringify(body) };
}
