import type { Cluster } from './tools.ts';

// The CPU requests that a run needs. A cluster without room for them would leave pods Pending until a time-out.

type Requests = { resources?: { requests?: Record<string, string> } };
type Node = { spec: { unschedulable?: boolean }; status: { allocatable: { cpu: string } } };
type Pod = { spec: { nodeName?: string; containers: Requests[] }; status: { phase: string } };

/**
 * Milli-CPUs of the largest scenario: two pods of every workload and a third one during an upgrade,
 * the migrations, the servers outside of the release and the pod with the load.
 */
export const neededCpu = 1450;

/** Milli-CPUs of a quantity such as `2`, `0.5` or `100m`. */
export const milliCpu = (quantity: string | undefined): number =>
  quantity === undefined
    ? 0
    : quantity.endsWith('m')
      ? Number(quantity.slice(0, -1))
      : Number(quantity) * 1000;

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);

/** The milli-CPUs that no pod has requested, on all schedulable nodes. */
export function freeCpu(nodes: readonly Node[], pods: readonly Pod[]): number {
  const allocatable = nodes
    .filter(({ spec }) => spec.unschedulable !== true)
    .map(({ status }) => milliCpu(status.allocatable.cpu));
  const running = pods.filter(
    ({ spec, status }) =>
      spec.nodeName !== undefined && !['Succeeded', 'Failed'].includes(status.phase),
  );
  return (
    sum(allocatable) -
    sum(
      running.flatMap(({ spec }) =>
        spec.containers.map(({ resources }) => milliCpu(resources?.requests?.cpu)),
      ),
    )
  );
}

/** @throws if the cluster has too little CPU left for a run. */
export async function assertCapacity(cluster: Cluster): Promise<void> {
  const items = async <Item>(...resource: string[]) =>
    (JSON.parse(await cluster.kubectl('get', ...resource, '--output', 'json')) as { items: Item[] })
      .items;
  const free = freeCpu(await items<Node>('nodes'), await items<Pod>('pods', '--all-namespaces'));
  if (free < neededCpu)
    throw new Error(
      `the cluster has ${free}m of CPU left to request, and the test needs ${neededCpu}m: uninstall other releases or add a node`,
    );
}
