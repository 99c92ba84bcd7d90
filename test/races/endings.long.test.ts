import { after, before, describe, test } from 'node:test';
import { type Stage, startStage } from '../support/stage.ts';
import { testOneTimeTokenRaces } from './one-time-tokens.ts';
import { testRevocationRaces } from './revocations.ts';
import { testSecondFactorRaces } from './second-factors.ts';

// Guarantees under concurrency: two replicas of every process, with background load.

describe('races of tokens and sessions between replicas', () => {
  let stage: Stage;
  before(async () => {
    stage = await startStage();
  });
  after(() => stage?.stop());

  testRevocationRaces(() => stage);
  testOneTimeTokenRaces(() => stage);
  testSecondFactorRaces(() => stage);

  test('no background call failed in the meantime', (t) =>
    stage.endLoad((line) => t.diagnostic(line)));
});
