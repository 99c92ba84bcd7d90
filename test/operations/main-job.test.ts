import { after, before, test } from 'node:test';
import { doMainJob } from '../main-job.ts';
import { describeAll, type Stack } from '../support/harness.ts';
import { sharedStack } from '../support/shared.ts';

describeAll('the main job', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  test('register, verify, sign in, create a tenant and an endpoint, save a group: the signed event arrives', () =>
    doMainJob(stack));
});
