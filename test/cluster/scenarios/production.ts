import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/harness.ts';
import { deletePods, drainNodes } from '../drain.ts';
import { assertHardened } from '../hardening.ts';
import { type Counts, type RunningLoad, startLoad, summary } from '../load.ts';
import { imageValues } from '../options.ts';
import { type Stores, startStores } from '../outside-stores.ts';
import { openRelease } from '../release.ts';
import { secretsFor, valuesWith } from '../secrets.ts';
import { readLoads, spreadOf } from '../spread.ts';
import type { Lab, Outcome } from './lab.ts';

/** How long the broker has no space. */
const fullMs = 20_000;
/** A broker whose streams had no space restarts first, and the processes connect again. */
const recoveryLimitMs = 180_000;
/** How long the load is measured. */
const measureMs = 30_000;
/** The largest share of the mean by which the load of two replicas may differ. */
const maxSpread = 0.2;

/**
 * The database, the broker and the mail server of another namespace, two replicas of each workload,
 * calls over gRPC with mutual TLS.
 */
export async function tryProduction(lab: Lab): Promise<Outcome> {
  const { cluster, images, beside, say } = lab;
  const outside = await beside('stores');
  const stores = await startStores(outside, images.current);
  const release = await openRelease(cluster, { inboxNamespace: outside.namespace });
  await cluster.apply(await secretsFor(stores, cluster.namespace));
  const values = [
    ...valuesWith(stores, release),
    ...imageValues(images.current),
    'defaults.replicas=2',
    'rpc.mode=grpc',
    'tls.internal.mode=existing',
    'tls.internal.existingSecret=certificate',
  ];
  say(`two replicas of each workload are ready in ${await release.install(values)} s`);
  const owner = await release.use();
  await release.test();
  say('helm test passes');
  say(`${await assertHardened(cluster)} pods are hardened`);
  const load = await startLoad(release, images.current, owner);
  await measureSpread(lab, ['gateway', 'identity', 'access', 'notifications-delivery']);
  await fillBroker(lab, stores, load);
  await deletePods(cluster);
  say(`a pod of each workload deleted: ${summary(await load.counts())}`);
  const before = await load.counts();
  say(`nodes drained: ${await drainNodes(cluster)} pods evicted`);
  assertNoneFailed(before, await load.counts());
  await release.upgrade([...values, 'rpc.mode=http']);
  say(`changed to calls over HTTP: ${summary(await load.counts())}`);
  // HTTP balances connections and not calls, so only the spread of the gateways is asserted.
  await measureSpread(lab, ['gateway']);
  say(`in all: ${summary(await load.finish())}`);
  await release.uninstall();
  return 'passed';
}

/** Measures the spread of a while's load over the replicas, and asserts it for the busy workloads. */
async function measureSpread({ cluster, say }: Lab, asserted: readonly string[]): Promise<void> {
  const before = await readLoads(cluster);
  await sleep(measureMs);
  const spreads = spreadOf(before, await readLoads(cluster));
  const line = spreads.map(
    ({ workload, loads, spread }) =>
      `${workload} ${loads.join(' and ')}${workload === 'gateway' ? ' calls' : ' ms of CPU'} (${Math.round(spread * 100)} %)`,
  );
  say(`load of the replicas: ${line.join(', ')}`);
  for (const name of asserted) {
    const spread = spreads.find(({ workload }) => workload === name);
    assert.ok(spread && spread.spread <= maxSpread, `the spread of ${name}`);
  }
}

/** With a full disk of the broker, changes are accepted; with space again, no event is missing. */
async function fillBroker({ say }: Lab, stores: Stores, load: RunningLoad): Promise<void> {
  const before = await load.counts();
  const free = await stores.fillBroker();
  await sleep(fullMs);
  const full = await load.counts();
  assert.ok(full.awaited > 200, `only ${full.awaited} events wait for the broker`);
  assertNoneFailed(before, full);
  await free();
  const freed = Date.now();
  await eventually(
    'events, now that the disk has space',
    async () => (await load.counts()).events > full.events,
    recoveryLimitMs,
  );
  const seconds = Math.round((Date.now() - freed) / 1000);
  say(
    `the broker's disk full for ${fullMs / 1000} s: ${full.awaited} events waited, and arrived from ${seconds} s after there was space`,
  );
  assertNoneFailed(before, await load.counts());
}

const assertNoneFailed = (before: Counts, after: Counts) =>
  assert.equal(after.failed, before.failed, after.failures.join('\n'));
