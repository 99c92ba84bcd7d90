import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadValues, type RunningLoad, startLoad, summary } from '../load.ts';
import { evaluationValues } from '../options.ts';
import { openRelease } from '../release.ts';
import { type Cluster, untilNothing } from '../tools.ts';
import type { Lab, Outcome } from './lab.ts';

/** The longest time from a kill of the database or the broker to the last failed request. */
const outageLimitMs = 60_000;
/** An outage has ended after this time without a failed request. */
const calmMs = 10_000;

/** PostgreSQL and NATS with volumes, killed under load: both come back with their data. */
export async function tryStores({ cluster, images, say }: Lab): Promise<Outcome> {
  const release = await openRelease(cluster);
  const values = [
    ...evaluationValues(images.current, release.url, { persistence: true }),
    ...loadValues(cluster.namespace),
  ];
  say(`installed with volumes, every pod ready in ${await release.install(values)} s`);
  const load = await startLoad(release, images.current, await release.use());
  for (const store of ['postgres', 'nats']) {
    const { outageMs, failed } = await kill(cluster, store, load);
    say(`${store} killed: ${failed} requests failed in ${(outageMs / 1000).toFixed(1)} s`);
  }
  say(`in all: ${summary(await load.finish({ outage: true }))}`);
  await release.use();
  await release.uninstall();
  await untilNothing('claims remain', () =>
    cluster.kubectl('get', 'persistentvolumeclaims', '--output', 'name'),
  );
  say('uninstalled, nothing remains');
  return 'passed';
}

/** Kills a pod without notice, and waits until requests succeed again. */
async function kill(cluster: Cluster, store: string, load: RunningLoad) {
  const before = await load.counts();
  const [pod] = await cluster.pods(`app.kubernetes.io/component=${store}`);
  assert.ok(pod, store);
  await cluster.kubectl('delete', 'pod', pod.metadata.name, '--grace-period=0', '--force');
  const began = Date.now();
  let lastFailure = began;
  let { failed } = before;
  while (Date.now() - lastFailure < calmMs) {
    assert.ok(lastFailure - began < outageLimitMs, `the outage of ${store} does not end`);
    await sleep(500);
    const counts = await load.counts();
    if (counts.failed > failed) lastFailure = Date.now();
    failed = counts.failed;
  }
  await cluster.kubectl('rollout', 'status', `statefulset/bailiwick-${store}`, '--timeout=120s');
  assert.ok((await load.counts()).events > before.events, `events after the outage of ${store}`);
  return { outageMs: lastFailure - began, failed: failed - before.failed };
}
