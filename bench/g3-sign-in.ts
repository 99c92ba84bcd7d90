import { type Bench, compare, interleave, withErrors } from './bench.ts';
import { startBetterAuth } from './better-auth.ts';
import { closedLoop, openPool } from './driver.ts';
import { createPeople, signIns, startMeasured } from './stack.ts';

const users = 40;

/**
 * G3, sign-ins a second in one process compared with Better Auth in one: with its default hash, and
 * with Bailiwick's.
 */
export const signIn: Bench = async ({ seconds, rounds }) => {
  const [stack, usual, equal] = await Promise.all([
    startMeasured('one process'),
    startBetterAuth('default', users),
    startBetterAuth('argon2id', users),
  ]);
  const target = { pool: openPool(stack.url), next: signIns(await createPeople(stack, users)) };
  const results = await interleave(
    {
      ours: () => closedLoop(target, 16, seconds),
      usual: () => closedLoop(usual.signIns, 16, seconds),
      equal: () => closedLoop(equal.signIns, 16, seconds),
    },
    rounds,
  );
  const rateOf = (name: keyof typeof results) => results[name].map(({ perSecond }) => perSecond);
  const row = { id: 'G3', what: 'sign-ins, one process', unit: '1/s' };
  const rows = [
    compare(
      { ...row, against: 'Better Auth, its scrypt', target: { least: 8 } },
      rateOf('ours'),
      rateOf('usual'),
    ),
    compare(
      { ...row, against: 'Better Auth, argon2id', target: { least: 1.2 } },
      rateOf('ours'),
      rateOf('equal'),
    ),
  ].map((each, index) =>
    withErrors(each, results.ours, index === 0 ? results.usual : results.equal),
  );
  await Promise.all([target.pool.close(), stack.stop(), usual.stop(), equal.stop()]);
  return rows;
};
