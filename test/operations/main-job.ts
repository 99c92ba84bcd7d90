import { after, before, describe, test } from 'node:test';
import { doMainJob } from '../main-job.ts';
import type { Stack, Topology } from '../support/harness.ts';
import { sharedStack } from '../support/shared.ts';

/** The main job over one way of calls between services. */
export function testMainJob(topology: Topology): void {
  describe(`the main job (${topology})`, () => {
    let stack: Stack;
    before(async () => {
      stack = await sharedStack(topology);
    });
    after(() => stack?.stop());

    test('register, verify, sign in, create a tenant and an endpoint, save a group: the signed event arrives', () =>
      doMainJob(stack));
  });
}
