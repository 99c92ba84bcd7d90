import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { bodyOf } from '../../support/answers.ts';
import { eventually } from '../../support/harness.ts';
import { loadValues, startLoad, summary } from '../load.ts';
import { evaluationValues, rollingValue } from '../options.ts';
import { type Owner, openRelease, type Release } from '../release.ts';
import { assertSchemas } from '../schemas.ts';
import type { Cluster } from '../tools.ts';
import type { Lab, Outcome } from './lab.ts';

/** Resolves for the pod with the load only, to the address of the controller. */
const host = 'bailiwick.test';
const publicUrl = `http://${host}`;
const limitMs = 120_000;

type Way = {
  /** The resource that the chart makes. */
  kind: 'Ingress' | 'HTTPRoute';
  values: string[];
  /** Makes the objects that the platform has before the chart is installed. */
  prepare?(): Promise<void>;
  /** The controller's address, once it has taken the resource. */
  address(): Promise<string>;
};

/**
 * The resources of other operators fit their definitions, and the gateway works behind the
 * controllers that the cluster has.
 */
export async function tryEdge({ cluster, images, say }: Lab): Promise<Outcome> {
  const schemas = await assertSchemas(cluster, say);
  const ways = [await ingressOf(cluster), await routeOf(cluster)];
  const release = await openRelease(cluster);
  const values = [
    ...evaluationValues(images.current, publicUrl),
    ...loadValues(cluster.namespace),
    'config.trustedProxies={10.0.0.0/8}',
  ];
  let isComplete = schemas;
  for (const way of ways) {
    if (typeof way === 'string') {
      say(`NOT TESTED: ${way}`);
      isComplete = false;
      continue;
    }
    await way.prepare?.();
    const own = [...values, ...way.values];
    await release.install(own);
    isComplete = (await tryWay(release, way, images.current, own, say)) && isComplete;
    await release.uninstall();
  }
  return isComplete ? 'passed' : 'not tested';
}

/** @returns whether the controller has an IP address, which a pod can be given */
async function tryWay(
  release: Release,
  way: Way,
  image: string,
  values: readonly string[],
  say: Lab['say'],
): Promise<boolean> {
  const owner = await release.join();
  const ip = await way.address();
  if (isIP(ip) === 0) {
    say(`NOT TESTED: ${way.kind}. Its controller has the address ${ip}, which is no IP address`);
    return false;
  }
  const load = await startLoad(release, image, owner, { url: publicUrl, host, ip });
  await release.upgrade([...values, rollingValue]);
  await assertClientAddress(release, owner);
  say(`${way.kind}: ${summary(await load.finish())}, while every pod was replaced`);
  return true;
}

/** The audit has the address of the pod with the load, and not that of the controller. */
async function assertClientAddress(release: Release, { token, tenant }: Owner): Promise<void> {
  const [pod] = await release.cluster.pods('app=load');
  const query = { Tenant: tenant, Filter: { ActionPrefix: 'group.' } };
  const { Page } = await release.reach(async (stack) =>
    bodyOf(await stack.call('Audit_List', query, token)),
  );
  const addresses = new Set((Page as { Items: Array<{ IP: string }> }).Items.map(({ IP }) => IP));
  assert.deepEqual([...addresses], [pod?.status.podIP]);
}

/** @returns the Ingress of the cluster's first class, or what the cluster lacks */
async function ingressOf(cluster: Cluster): Promise<Way | string> {
  const [className] = await namesOf(cluster, 'ingressclasses');
  if (className === undefined) return 'INGRESS. The cluster has no IngressClass';
  return {
    kind: 'Ingress',
    values: ['ingress.enabled=true', `ingress.className=${className}`],
    address: () =>
      addressIn(
        cluster,
        'ingress/bailiwick-gateway',
        '{.status.loadBalancer.ingress[0].ip}{.status.loadBalancer.ingress[0].hostname}',
      ),
  };
}

/** @returns the HTTPRoute of a Gateway of the cluster's first class, or what the cluster lacks */
async function routeOf(cluster: Cluster): Promise<Way | string> {
  const [className] = await namesOf(cluster, 'gatewayclasses');
  if (className === undefined) return 'GATEWAY API. The cluster has no GatewayClass';
  const gateway = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name: 'edge' },
    spec: {
      gatewayClassName: className,
      listeners: [{ name: 'http', protocol: 'HTTP', port: 80 }],
    },
  };
  return {
    kind: 'HTTPRoute',
    values: ['httpRoute.enabled=true', 'httpRoute.parentRefs[0].name=edge'],
    prepare: () => cluster.apply([gateway]),
    async address() {
      const accepted = '{.status.parents[0].conditions[?(@.type=="Accepted")].status}';
      await eventually(
        'the HTTPRoute is accepted',
        async () => (await valueOf(cluster, 'httproute/bailiwick-gateway', accepted)) === 'True',
        limitMs,
      );
      return addressIn(cluster, 'gateway/edge', '{.status.addresses[0].value}');
    },
  };
}

const namesOf = async (cluster: Cluster, resource: string): Promise<string[]> =>
  (await cluster.kubectl('get', resource, '--output', 'name').catch(() => ''))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.slice(line.indexOf('/') + 1));

const valueOf = (cluster: Cluster, object: string, at: string): Promise<string> =>
  cluster.kubectl('get', object, `--output=jsonpath=${at}`);

const addressIn = (cluster: Cluster, object: string, at: string): Promise<string> =>
  eventually(
    `an address of ${object}`,
    async () => (await valueOf(cluster, object, at)) || undefined,
    limitMs,
  );
