import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import process from 'node:process';
import { test } from 'node:test';
import { kinds } from '../faults/faults.ts';
import { runTrial } from '../faults/trial.ts';

// Records every accepted operation and counts its effects, while all processes are killed and the
// broker's store is wiped. `npm run test:faults` does the same for longer.

const kills = 10;
const seconds = 60;

test('no accepted operation is lost over 10 kills of each process and a wiped broker', async (t) => {
  const seed = Number(process.env['BAILIWICK_TEST_SEED'] ?? randomInt(2 ** 31));
  t.diagnostic(`BAILIWICK_TEST_SEED=${seed}`);
  const { lost, severalIds, disagreements, ...trial } = await runTrial({
    kills,
    seconds,
    seed,
    rate: 15,
    say: (line) => t.diagnostic(line),
  });
  t.diagnostic(JSON.stringify(trial));
  assert.deepEqual(lost.slice(0, 10), []);
  assert.deepEqual(severalIds.slice(0, 10), []);
  assert.deepEqual(disagreements.slice(0, 10), []);
  assert.equal(trial.forged, 0);
  assert.equal(trial.deadLetters, 0);
  assert.ok(
    trial.duplicates <= trial.duplicateLimit && trial.duplicateShare < 0.2,
    `${trial.duplicates} duplicates`,
  );
  for (const kind of kinds)
    assert.ok(trial.counts[kind] >= kills, `${kind} was killed ${trial.counts[kind]} times`);
  assert.equal(trial.counts.wipes, 1);
  assert.ok(trial.accepted > 100, `${trial.accepted} operations were accepted`);
});
