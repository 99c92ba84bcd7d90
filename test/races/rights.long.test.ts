import { after, before, describe, test } from 'node:test';
import { type Stage, startStage } from '../support/stage.ts';
import { testAccountRaces } from './accounts.ts';
import { testDecisionRaces } from './decisions.ts';
import { testIntrospectionRaces } from './introspections.ts';

// Guarantees under concurrency: two replicas of every process, with background load.

describe('races of rights between replicas', () => {
  let stage: Stage;
  before(async () => {
    stage = await startStage();
  });
  after(() => stage?.stop());

  testIntrospectionRaces(() => stage);
  testDecisionRaces(() => stage);
  testAccountRaces(() => stage);

  test('no background call failed in the meantime', (t) =>
    stage.endLoad((line) => t.diagnostic(line)));
});
