import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinReports } from './reports.ts';
import type { HolderReport } from './revoker.ts';

const report = (holder: string, state: HolderReport['state'], followers = 0): HolderReport => ({
  holder,
  state,
  name: 'gateway',
  kind: 'cache',
  followers,
  followersWaited: 0,
});

test('of two reports about a holder the one counts that proves less, with the most followers', () => {
  const first = [report('a', 'dropped', 3), report('b', 'waited'), report('c', 'dropped')];
  const second = [report('a', 'dropped'), report('b', 'dropped', 1), report('c', 'waited')];
  assert.deepEqual(joinReports(first, [...second, report('d', 'ended')]), [
    report('a', 'dropped', 3),
    report('b', 'waited', 1),
    report('c', 'waited'),
    report('d', 'ended'),
  ]);
});
