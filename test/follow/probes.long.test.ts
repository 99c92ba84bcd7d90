import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type OwnStack, startStack } from '../support/harness.ts';
import { openPlace } from './place.ts';
import { endRights, fillRights, lateDecisions, startProber, stopProber } from './probes.ts';

const processes = 4;
const followers = 5;
const rights = 120;

describe('followers that decide while rights end', () => {
  let stack: OwnStack;
  before(async () => {
    stack = await startStack('five processes', { BAILIWICK_LIMITS: 'off' });
  });
  after(() => stack?.stop());

  test('no decision that begins after the reply allows an ended right', async (t) => {
    const place = await openPlace(stack);
    const probes = await fillRights(stack, place, rights);
    const options = { urls: [stack.url], credential: place.credential, followers, probes };
    const probers = await Promise.all(
      Array.from({ length: processes }, () => startProber(options)),
    );
    const ends = await endRights(stack, place, probes, { call: stack.call, atOnce: 4 });
    const reports = await Promise.all(probers.map(stopProber));
    const total = (field: 'probes' | 'unknown') =>
      reports.reduce((sum, report) => sum + report[field], 0);
    const slowest = ends.tookMs.toSorted((a, b) => b - a);
    t.diagnostic(
      `${total('probes')} decisions, ${total('unknown')} unknown, p99 ${slowest[Math.floor(rights / 100)]?.toFixed(0)} ms`,
    );
    // Each follower has allowed each right before its end, so a late one would show.
    for (const { lastAllowed } of reports) assert.ok(lastAllowed.every((at) => at > 0));
    assert.deepEqual(lateDecisions(probes, ends.repliedAt, reports), []);
  });
});
