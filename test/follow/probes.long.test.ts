import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type OwnStack, startStack } from '../support/harness.ts';
import { openPlace } from './place.ts';
import {
  endRights,
  fillRights,
  lateDecisions,
  proveNoLateDecision,
  startProber,
  stopProber,
} from './probes.ts';

describe('followers that decide while rights end', () => {
  let stack: OwnStack;
  before(async () => {
    stack = await startStack('five processes', { BAILIWICK_LIMITS: 'off' });
  });
  after(() => stack?.stop());

  test('no decision that begins after the reply allows an ended right', async (t) => {
    const size = { processes: 4, followers: 5, rights: 120, mark: 2 };
    t.diagnostic(await proveNoLateDecision(stack, size));
  });

  test('a stopped process allows nothing that ended meanwhile once it goes on', async (t) => {
    const place = await openPlace(stack);
    const probes = await fillRights(stack, place, 12, 3);
    const options = { urls: [stack.url], credential: place.credential, followers: 2, probes };
    const [stopped, running] = await Promise.all([startProber(options), startProber(options)]);
    stopped.child.kill('SIGSTOP');
    const ends = await endRights(stack, place, probes, { call: stack.call, atOnce: 1 });
    stopped.child.kill('SIGCONT');
    const reports = await Promise.all([stopProber(stopped), stopProber(running)]);
    for (const { lastAllowed } of reports) assert.ok(lastAllowed.every((at) => at > 0));
    assert.deepEqual(lateDecisions(probes, ends.repliedAt, reports), []);
    // Only one call waits for the lease of the stopped process.
    const slowest = ends.tookMs.toSorted((a, b) => b - a);
    t.diagnostic(slowest.map((ms) => ms.toFixed(0)).join(' '));
    assert.ok((slowest[0] ?? 0) < 2500 + (slowest.at(-1) ?? 0), String(slowest[0]));
  });
});
