import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { workloads } from '../chart/manifests.ts';
import type { Cluster } from './tools.ts';

const selector = 'app.kubernetes.io/instance=bailiwick';
const limitSeconds = 60;
/** How long a node without pods stays as it is. */
const pauseMs = 5000;

/**
 * Drains each node of the release's pods, and makes it schedulable again. On a single node the
 * replacements wait for that, so the budgets keep one pod of each workload until then.
 *
 * @returns the number of evicted pods
 */
export async function drainNodes(cluster: Cluster): Promise<number> {
  const before = await cluster.pods(selector);
  const schedulable = ['get', 'nodes', '--field-selector', 'spec.unschedulable!=true'];
  const nodes = (await cluster.kubectl(...schedulable, '--output', 'name')).trim().split('\n');
  for (const node of nodes) {
    const name = node.replace('node/', '');
    try {
      // Ends with an error if budgets refuse the last evictions until the limit, as on one node.
      await cluster
        .kubectl(
          'drain',
          name,
          `--pod-selector=${selector}`,
          '--delete-emptydir-data',
          `--timeout=${limitSeconds}s`,
        )
        .catch((error: { stderr?: string }) => {
          if (!/disruption budget|timed out|timeout/i.test(error.stderr ?? '')) throw error;
        });
      await sleep(pauseMs);
    } finally {
      await cluster.kubectl('uncordon', name);
    }
    await cluster.kubectl(
      'wait',
      'deployment',
      `--selector=${selector}`,
      '--for=condition=Available',
      '--timeout=180s',
    );
  }
  const remaining = new Set((await cluster.pods(selector)).map(({ metadata }) => metadata.name));
  const evicted = before.filter(({ metadata }) => !remaining.has(metadata.name)).length;
  assert.ok(evicted > 0, 'no pod was evicted');
  return evicted;
}

/** Deletes one pod of each workload, and waits for its replacement before the next. */
export async function deletePods(cluster: Cluster): Promise<void> {
  for (const name of Object.keys(workloads)) {
    const [pod] = await cluster.pods(`app.kubernetes.io/component=${name}`);
    assert.ok(pod, name);
    await cluster.kubectl('delete', 'pod', pod.metadata.name, '--wait');
    await cluster.kubectl('rollout', 'status', `deployment/bailiwick-${name}`, '--timeout=120s');
  }
}
