import { workloads } from '../chart/manifests.ts';
import type { Cluster } from './tools.ts';

// How evenly the load is spread over the replicas of a workload, by the pods' own metrics: the calls of
// a gateway, and the CPU time of a service, which counts no calls of clients.

/** Workload → pod → calls or milliseconds of CPU so far. */
type Loads = ReadonlyMap<string, ReadonlyMap<string, number>>;

const adminPort = 9464;
/** Workloads with less load say nothing about the spread. */
const enough = 200;

/** The sum of a counter's series in a text of Prometheus' format. */
export const sumOf = (metrics: string, counter: string): number =>
  [...metrics.matchAll(new RegExp(`^${counter}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  );

export async function readLoads(cluster: Cluster): Promise<Loads> {
  const loads = new Map<string, Map<string, number>>();
  for (const { metadata } of await cluster.pods('app.kubernetes.io/instance=bailiwick')) {
    const workload = metadata.labels['app.kubernetes.io/component'] ?? '';
    if (!(workload in workloads)) continue;
    const metrics = await cluster.kubectl(
      'get',
      '--raw',
      `/api/v1/namespaces/${cluster.namespace}/pods/${metadata.name}:${adminPort}/proxy/metrics`,
    );
    const load =
      workload === 'gateway'
        ? sumOf(metrics, 'bailiwick_operations_total')
        : Math.round(1000 * sumOf(metrics, 'process_cpu_seconds_total'));
    const pods = loads.get(workload) ?? new Map<string, number>();
    loads.set(workload, pods.set(metadata.name, load));
  }
  return loads;
}

/** Per workload with load enough: that of each pod, and their range as a share of their mean. */
export const spreadOf = (before: Loads, after: Loads) =>
  [...after].flatMap(([workload, pods]) => {
    const loads = [...pods].map(([pod, load]) => load - (before.get(workload)?.get(pod) ?? 0));
    const mean = loads.reduce((sum, load) => sum + load, 0) / loads.length;
    if (mean < enough) return [];
    return [{ workload, loads, spread: (Math.max(...loads) - Math.min(...loads)) / mean }];
  });
