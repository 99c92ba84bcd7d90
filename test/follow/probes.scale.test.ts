import { after, before, describe, test } from 'node:test';
import { type OwnStack, startStack } from '../support/harness.ts';
import { proveNoLateDecision } from './probes.ts';

describe('a hundred followers that decide while 2,000 rights end', () => {
  let stack: OwnStack;
  before(async () => {
    stack = await startStack('five processes', { BAILIWICK_LIMITS: 'off' });
  });
  after(() => stack?.stop());

  test('no decision that begins after the reply allows an ended right', async (t) => {
    const size = { processes: 20, followers: 5, rights: 2000, mark: 2 };
    t.diagnostic(await proveNoLateDecision(stack, size));
  });
});
