import { settingTables } from '@bailiwick/deploy/settings.ts';
import { containerOf, findObject, type Manifest, podOf, workloads } from './manifests.ts';

/**
 * The most PostgreSQL connections that a release opens: with the maximum number of pods, during a
 * rollout of all of them.
 */
export function mostConnections(objects: readonly Manifest[]): number {
  const connected = Object.keys(workloads).filter((name) =>
    Object.hasOwn(settingTables[workloads[name] ?? 'gateway'], 'databaseUrl'),
  );
  return connected
    .map((name) => 2 * mostPods(objects, name) * poolOf(objects, name))
    .reduce((sum, connections) => sum + connections, 0);
}

function mostPods(objects: readonly Manifest[], name: string): number {
  const full = `bailiwick-${name}`;
  const scales = objects.find(
    ({ kind, metadata }) =>
      ['HorizontalPodAutoscaler', 'ScaledObject'].includes(kind) && metadata.name === full,
  );
  const { maxReplicas, maxReplicaCount } = (scales?.spec ?? {}) as {
    maxReplicas?: number;
    maxReplicaCount?: number;
  };
  return (
    maxReplicas ?? maxReplicaCount ?? findObject(objects, 'Deployment', full).spec?.replicas ?? 1
  );
}

function poolOf(objects: readonly Manifest[], name: string): number {
  const { env = [] } = containerOf(podOf(objects, 'Deployment', name));
  return Number(
    env.find((variable) => variable.name === 'BAILIWICK_DATABASE_POOL')?.value ??
      settingTables.access.databasePool.fallback,
  );
}
