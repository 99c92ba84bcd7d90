import assert from 'node:assert/strict';
import path from 'node:path';
import { chartDir, objectsIn, valueFiles } from '../chart/helm.ts';
import type { Manifest } from '../chart/manifests.ts';
import type { Cluster } from './tools.ts';

// The chart's objects for other operators (cert-manager, external-secrets, KEDA, Prometheus' operator,
// the Gateway API) against the definitions that the cluster has.

/** A group of a custom resource has a dot and does not end in .k8s.io, except the Gateway API's. */
const isExtension = ({ apiVersion }: Manifest): boolean => {
  const [group = ''] = apiVersion.split('/');
  return (
    group === 'gateway.networking.k8s.io' || (group.includes('.') && !group.endsWith('.k8s.io'))
  );
};

/**
 * Asserts that the API server accepts an object of each kind of the chart with every value set, and
 * refuses it with a field that its definition lacks. @returns whether the cluster has every
 * definition
 */
export async function assertSchemas(
  cluster: Cluster,
  say: (line: string) => void,
): Promise<boolean> {
  const file = path.join(chartDir, valueFiles.full);
  const rendered = objectsIn(
    await cluster.helm('template', 'bailiwick', cluster.chart, '--values', file),
  ).filter(isExtension);
  const kinds = Map.groupBy(rendered, ({ apiVersion, kind }) => `${kind} of ${apiVersion}`);
  assert.ok(kinds.size >= 6, `${kinds.size} kinds`);
  const accepted: string[] = [];
  const absent: string[] = [];
  for (const [name, objects] of kinds) {
    const [first] = objects;
    if (!first || !(await isDefined(cluster, first))) {
      absent.push(name);
      continue;
    }
    const here = objects.map((object) => ({
      ...object,
      metadata: { ...object.metadata, namespace: cluster.namespace },
    }));
    await cluster.tryOut(here);
    const wrong = { ...here[0], spec: { ...first.spec, bogus: true } };
    await assert.rejects(cluster.tryOut([wrong]), /bogus/, `a bogus field of ${name}`);
    accepted.push(`${objects.length} ${name}`);
  }
  say(`accepted by their definitions: ${accepted.join(', ') || 'none'}`);
  if (absent.length > 0) say(`NOT TESTED: ${absent.join(', ')}, which the cluster does not define`);
  return absent.length === 0;
}

async function isDefined(cluster: Cluster, { apiVersion, kind }: Manifest): Promise<boolean> {
  const document = await cluster.kubectl('get', '--raw', `/apis/${apiVersion}`).catch(() => '{}');
  const { resources = [] } = JSON.parse(document) as { resources?: Array<{ kind: string }> };
  return resources.some((resource) => resource.kind === kind);
}
