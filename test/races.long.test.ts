import { after, before, describe, test } from 'node:test';
import { testDecisionRaces } from './races/decisions.ts';
import { testIntrospectionRaces } from './races/introspections.ts';
import { testOneTimeTokenRaces } from './races/one-time-tokens.ts';
import { testRevocationRaces } from './races/revocations.ts';
import { testSecondFactorRaces } from './races/second-factors.ts';
import { type Stage, startStage } from './support/stage.ts';

// Guarantees under concurrency: two replicas of every process, with background load.

describe('races between replicas', () => {
  let stage: Stage;
  before(async () => {
    stage = await startStage();
  });
  after(() => stage?.stop());

  testRevocationRaces(() => stage);
  testIntrospectionRaces(() => stage);
  testDecisionRaces(() => stage);
  testOneTimeTokenRaces(() => stage);
  testSecondFactorRaces(() => stage);

  test('no background call failed in the meantime', (t) =>
    stage.endLoad((line) => t.diagnostic(line)));
});
