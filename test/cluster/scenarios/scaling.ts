import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { eventually } from '../../support/harness.ts';
import { backlogValues, deliveries, events, makeBacklog, startSlowReceiver } from '../backlog.ts';
import { curve, type Sample } from '../curve.ts';
import { loadValues, startLoad, summary } from '../load.ts';
import { evaluationValues } from '../options.ts';
import { openRelease } from '../release.ts';
import type { Cluster } from '../tools.ts';
import type { Lab, Outcome } from './lab.ts';

/** Scaled by CPU and by the length of its queues. */
const [byCpu, byQueue] = ['gateway', 'notifications-delivery'] as const;
const mostPods = { [byCpu]: 3, [byQueue]: 4 };
const sampleMs = 5000;
/** A busy cluster may leave a few samples out. */
const missedInRow = 5;
const upLimitMs = 240_000;
const deliveryLimitMs = 900_000;
/** Five minutes without need, then a minute for each pod. */
const downLimitMs = 900_000;

const scaled = (name: keyof typeof mostPods, by: string): string[] =>
  Object.entries({ enabled: true, by, minReplicas: 1, maxReplicas: mostPods[name] }).map(
    ([key, value]) => `services.${name}.autoscaling.${key}=${value}`,
  );

/**
 * A HorizontalPodAutoscaler scales the gateway by its CPU, and KEDA the delivery workers by a
 * backlog of 20,000 deliveries; both return to one pod.
 */
export async function tryScaling({ cluster, images, say }: Lab): Promise<Outcome> {
  const missing = await missingAddOns(cluster);
  if (missing.length > 0) {
    say(`NOT TESTED: SCALING. The cluster has no ${missing.join(' and no ')}`);
    return 'not tested';
  }
  const release = await openRelease(cluster);
  await release.install([
    ...evaluationValues(images.current, release.url),
    ...loadValues(cluster.namespace),
    ...backlogValues(cluster.namespace),
    ...scaled(byCpu, 'cpu'),
    ...scaled(byQueue, 'queue'),
    // So that only the queue can scale up, and not a failure to read it.
    `services.${byQueue}.autoscaling.fallbackReplicas=1`,
  ]);
  const [busy, behind] = [await release.use(), await release.use()];
  const delivered = await startSlowReceiver(cluster, images.current);
  const samples = watch(cluster, async () => (await delivered()).delivered);
  try {
    const load = await startLoad(release, images.current, busy);
    const loaded = Date.now();
    const [most, mostWorkers] = [mostPods[byCpu], mostPods[byQueue]];
    await samples.until(`all pods of ${byCpu}`, upLimitMs, ({ pods }) => pods[byCpu] === most);
    say(`${byCpu} has ${most} ready pods ${since(loaded)} s after the load began`);
    say(`meanwhile: ${summary(await load.finish())}`);

    let first = 0;
    await makeBacklog(release, behind, (caused) => {
      first ||= Date.now();
      samples.expect(caused);
    });
    const backlog = deliveries - (await delivered()).delivered;
    say(`${events} events within ${since(first)} s left ${backlog} deliveries to make`);
    assert.ok(backlog > deliveries / 2, `a backlog of ${backlog}`);
    await samples.until(
      `all pods of ${byQueue}`,
      upLimitMs,
      ({ pods }) => pods[byQueue] === mostWorkers,
    );
    say(
      `${byQueue} has ${mostWorkers} ready pods ${since(first)} s after the first event, with ${samples.now().backlog} deliveries to go`,
    );
    await samples.until('all deliveries', deliveryLimitMs, (sample) => sample.backlog === 0);
    const ended = Date.now();
    const { repeated } = await delivered();
    say(`the last delivery arrived after ${since(first)} s; ${repeated} arrived again`);
    await samples.until('one pod of each', downLimitMs, ({ pods }) =>
      Object.values(pods).every((count) => count === 1),
    );
    say(`both have one pod again ${since(ended)} s later`);
  } finally {
    await samples.stop();
    say(`the curve: ${save(samples.all)}`);
  }
  await release.uninstall();
  return 'passed';
}

/** The add-ons that scaling needs and the cluster lacks. */
async function missingAddOns(cluster: Cluster): Promise<string[]> {
  const has = (url: string) =>
    cluster.kubectl('get', '--raw', url).then(
      () => true,
      () => false,
    );
  const addOns = {
    'metrics-server': '/apis/metrics.k8s.io/v1beta1/nodes',
    KEDA: '/apis/keda.sh/v1alpha1',
  };
  const isInstalled = await Promise.all(Object.values(addOns).map(has));
  return Object.keys(addOns).filter((_, index) => !isInstalled[index]);
}

/** Samples the ready pods of both workloads and the deliveries that are still expected. */
function watch(cluster: Cluster, delivered: () => Promise<number>) {
  const began = Date.now();
  const all: Sample[] = [];
  let expected = 0;
  let isOver = false;
  const take = async (): Promise<void> => {
    const [pods, arrived] = await Promise.all([readyPods(cluster), delivered()]);
    const seconds = Math.round((Date.now() - began) / 1000);
    all.push({ seconds, backlog: expected - arrived, pods });
  };
  let missed = 0;
  let failed: unknown;
  const sampling = (async () => {
    for (; !isOver; await sleep(sampleMs))
      await take().then(
        () => (missed = 0),
        (error: unknown) => {
          if (++missed >= missedInRow) failed = error;
        },
      );
  })();
  const now = () => all.at(-1) ?? assert.fail('there is no sample yet');
  return {
    all,
    now,
    /** The receiver is to get that many more deliveries. */
    expect: (count: number) => void (expected += count),
    until: (what: string, limitMs: number, isReached: (sample: Sample) => boolean) =>
      eventually(
        what,
        async () => {
          if (failed !== undefined) throw failed;
          return all.length > 0 && isReached(now());
        },
        limitMs,
      ),
    async stop(): Promise<void> {
      isOver = true;
      await sampling;
    },
  };
}

type Deployments = {
  items: Array<{ metadata: { name: string }; status: { readyReplicas?: number } }>;
};

async function readyPods(cluster: Cluster): Promise<Record<string, number>> {
  const { items } = JSON.parse(
    await cluster.kubectl('get', 'deployments', '--output', 'json'),
  ) as Deployments;
  const ready = (name: string) =>
    items.find(({ metadata }) => metadata.name === `bailiwick-${name}`)?.status.readyReplicas ?? 0;
  return { [byCpu]: ready(byCpu), [byQueue]: ready(byQueue) };
}

const since = (ms: number): number => Math.round((Date.now() - ms) / 1000);

function save(samples: readonly Sample[]): string {
  const folder = path.join(root, 'test/artifacts');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'scaling.svg');
  const title = `${deliveries.toLocaleString('en')} deliveries, and the pods that follow`;
  writeFileSync(file, curve(samples, title));
  return path.relative(root, file);
}
