import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { settle } from '../faults/account.ts';
import { schedule } from '../faults/product.ts';
import { seededRandom } from '../faults/random.ts';
import { startReceivers } from '../faults/receivers.ts';
import { preDrainMs } from '../support/balancer.ts';
import { loadWhile } from '../support/load.ts';
import { rowsOf } from '../support/store.ts';
import { prepareChanges, witnessOf } from '../upgrade/changes.ts';
import { startSides } from '../upgrade/sides.ts';
import { findPrevious, install, openVersion } from '../upgrade/versions.ts';

// A rolling update from the previous version and a rollback, under load.

const rate = 50;
/** The time with both versions, long enough for connections to move to the other version. */
const besideMs = 10_000;
const alone = 2000;

type Window = { service: string; version: number; compatible_from: number };
const windows = ['identity', 'access', 'sso', 'notifications']
  .map(
    (service) =>
      `select '${service}' as service, version, compatible_from from ${service}.schema_window`,
  )
  .join(' union all ');

const { tree, skip } = await findPrevious();

test(`an update from the previous version and a rollback under ${rate} requests a second fail no request and make every change once`, {
  skip,
}, async (t) => {
  await install(tree ?? assert.fail());
  const receivers = await startReceivers(seededRandom(1));
  t.after(() => receivers.stop());
  const versions = { previous: await openVersion(tree), current: await openVersion() };
  const sides = await startSides(versions, {
    BAILIWICK_PRE_DRAIN_MS: String(preDrainMs),
    BAILIWICK_RETRY_SCHEDULE: schedule,
    BAILIWICK_SMTP_URL: receivers.smtpUrl,
  });
  t.after(() => sides.stop());
  const { stack } = sides;
  const changes = await prepareChanges(stack, receivers);
  const [previous, current] = [sides.urlOf('previous'), sides.urlOf('current')];
  const crossOver = async () => {
    await changes.goOn(previous, current);
    await changes.goOn(current, previous);
    await sleep(besideMs);
  };

  const before = await rowsOf<Window>(stack, windows);
  const result = await loadWhile(
    { gateways: sides.gateways, rate, requestOf: changes.requestOf },
    async () => {
      await sleep(alone);
      await sides.migrate();
      await sides.bring('current');
      await crossOver();
      await sides.takeAway('previous');
      await changes.goOn(current, current);
      await sleep(alone);
      await sides.bring('previous');
      await crossOver();
      await sides.takeAway('current');
      await sleep(alone);
    },
  );
  const after = await rowsOf<Window>(stack, windows);
  if (result.failures.length > 0) t.diagnostic(sides.errors());
  t.diagnostic(JSON.stringify({ ...result, failures: result.failures.length }));
  assert.deepEqual(result.failures.slice(0, 10), []);

  for (const [index, { service, compatible_from: oldest }] of after.entries())
    assert.ok(
      oldest <= (before[index]?.version ?? 0),
      `${service} is compatible with the previous version`,
    );

  const witness = witnessOf(stack, receivers, changes);
  const { accepted, effects, duplicates, ...problems } = await settle(
    witness,
    changes.entriesOf(result.requests),
  );
  t.diagnostic(JSON.stringify({ accepted, effects, duplicates }));
  assert.deepEqual(problems, {
    lost: [],
    deadLetters: 0,
    severalIds: [],
    forged: 0,
    disagreements: [],
  });
  const { expected, actual } = await changes.countGrants(result.requests);
  assert.equal(actual, expected);
  assert.ok(result.requests > 1000, String(result.requests));
});
