import assert from 'node:assert/strict';
import type { Manifest } from './manifests.ts';

// NetworkPolicies as edges: 'access:8080' is a workload and a port, 'ns nats:4222' a namespace,
// 'public:443' the public addresses, 'any:53/UDP' all peers.

type Selector = { matchLabels?: Record<string, string> };
type Peer = {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: { cidr: string; except?: string[] };
};
type Rule = { ports: Array<{ port: number; protocol: string }>; to?: Peer[]; from?: Peer[] };
type Policy = {
  podSelector: { matchLabels: Record<string, string> };
  policyTypes: string[];
  ingress?: Rule[];
  egress?: Rule[];
};

const componentLabel = 'app.kubernetes.io/component';

export function policiesIn(
  objects: readonly Manifest[],
): Array<{ component: string; spec: Policy }> {
  const policies = objects
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => spec as unknown as Policy);
  return policies.map((spec) => ({
    component: spec.podSelector.matchLabels[componentLabel] ?? '',
    spec,
  }));
}

/** All peers in a policy, in both directions. */
export const peersOf = ({ ingress = [], egress = [] }: Policy): Peer[] =>
  [...ingress, ...egress].flatMap(({ from = [], to = [] }) => [...from, ...to]);

/** The networks in the policy of one component. */
export const networksOf = (objects: readonly Manifest[], component: string) =>
  policiesIn(objects)
    .filter((policy) => policy.component === component)
    .flatMap(({ spec }) => peersOf(spec).flatMap(({ ipBlock }) => ipBlock ?? []));

/** The connections that the policies of one component allow in a direction. */
export function edgesIn(
  objects: readonly Manifest[],
  component: string,
  direction: 'ingress' | 'egress',
): string[] {
  const policies = policiesIn(objects).filter((policy) => policy.component === component);
  if (policies.length === 0) return [];
  assert.equal(policies.length, 1, `one policy of ${component}`);
  return (policies[0]?.spec[direction] ?? []).flatMap((rule) =>
    edgesOf(rule, (direction === 'egress' ? rule.to : rule.from) ?? []),
  );
}

function edgesOf({ ports }: Rule, peers: readonly Peer[]): string[] {
  assert.ok(ports.length > 0, 'a rule without ports would allow all ports');
  const names = new Set(peers.length === 0 ? ['any'] : peers.map(nameOf));
  return [...names].flatMap((name) =>
    ports.map(({ port, protocol }) => `${name}:${port}${protocol === 'UDP' ? '/UDP' : ''}`),
  );
}

function nameOf({ podSelector, namespaceSelector, ipBlock }: Peer): string {
  if (ipBlock) return ipBlock.except ? 'public' : ipBlock.cidr;
  if (namespaceSelector)
    return `ns ${namespaceSelector.matchLabels?.['kubernetes.io/metadata.name']}`;
  return (
    podSelector?.matchLabels?.[componentLabel] ?? assert.fail('a peer that is not a component')
  );
}
