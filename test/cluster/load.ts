import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { bodyOf } from '../support/answers.ts';
import { eventually } from '../support/harness.ts';
import { type Client, clientPod, lastPrinted, receiverPort, startReceiver } from './client-pod.ts';
import { loadScript } from './load-script.ts';
import type { Owner, Release } from './release.ts';
import { type Cluster, hostOf } from './tools.ts';

// Runs the clients in the cluster, because a forwarded port closes with its pod.

const name = 'load';
/** Requests a second. */
const rate = 100;
/** Longer than all pauses of the retry schedule. */
const eventLimitMs = 120_000;

export type Counts = {
  requests: number;
  failed: number;
  /** The first twenty. */
  failures: string[];
  /** Events of saved groups that arrived, each counted once. */
  events: number;
  /** Events that arrived again. */
  repeated: number;
  /** Saved groups whose event has not arrived. */
  awaited: number;
  /** Requests without an answer so far. */
  open: number;
};
type Load = Pick<Client, 'image' | 'hosts'> & { gateway: string; token: string; tenant: string };
/** An entry point of the cluster, as its clients see it. */
type Entry = { url: string; host: string; ip: string };

/** The values that let the product's workers reach the load's receiver. */
export const loadValues = (namespace: string): string[] => [
  `config.egressAllowHosts[0]=${hostOf('bailiwick-inbox', namespace)}`,
  `config.egressAllowHosts[1]=${hostOf(name, namespace)}`,
  'config.retrySchedule={0s,2s,5s,5s,10s,10s,20s,20s}',
  `networkPolicy.receivers.to[0].podSelector.matchLabels.app=${name}`,
  `networkPolicy.receivers.ports[0]=${receiverPort}`,
];

export const loadPod = ({ image, gateway, token, tenant, hosts = [] }: Load) =>
  clientPod({
    name,
    image,
    script: loadScript,
    hosts,
    env: {
      GATEWAY: gateway,
      TOKEN: token,
      TENANT: tenant,
      RATE: String(rate),
      RUN: `load-${randomBytes(3).toString('hex')}`,
    },
  });

export type RunningLoad = Awaited<ReturnType<typeof startLoad>>;

/**
 * Starts the requests to the gateway's Service or to another entry point, and an endpoint of the
 * owner's tenant that receives their events.
 */
export async function startLoad(
  release: Release,
  image: string,
  { token, tenant }: Owner,
  entry?: Entry,
) {
  const { cluster } = release;
  const pod = loadPod({
    image,
    gateway: entry?.url ?? release.inside,
    token,
    tenant,
    ...(entry && { hosts: [{ ip: entry.ip, hostnames: [entry.host] }] }),
  });
  // Before the first save, whose event the endpoint is to get too.
  const URL = `http://${hostOf(name, cluster.namespace)}:${receiverPort}/`;
  await release.reach(async (stack) =>
    bodyOf(
      await stack.call(
        'Webhooks_CreateEndpoint',
        { Endpoint: { Tenant: tenant, Name: name, URL } },
        token,
      ),
    ),
  );
  await startReceiver(cluster, pod);
  await eventually(
    'the first requests and events',
    async () => {
      const { requests, events } = await countsOf(cluster);
      return requests > 50 && events > 0;
    },
    60_000,
  );
  return {
    counts: () => countsOf(cluster),

    /**
     * Ends the requests, and asserts that every saved group's event has arrived and that no request
     * has failed, or none but those of an outage.
     */
    async finish({ outage = false } = {}): Promise<Counts> {
      await cluster.kubectl('exec', name, '--', 'node', '--eval', 'process.kill(1, "SIGUSR2")');
      await eventually(
        'the events of all saved groups',
        async () => {
          const { awaited, open } = await countsOf(cluster);
          return awaited === 0 && open === 0;
        },
        eventLimitMs,
      );
      const counts = await countsOf(cluster);
      await cluster.kubectl('delete', `pod/${name}`, `service/${name}`, '--grace-period=1');
      assert.ok(counts.requests > 500, `${counts.requests} requests are too few`);
      if (!outage) assert.deepEqual(counts.failures, []);
      return counts;
    },
  };
}

export const noCounts: Counts = {
  requests: 0,
  failed: 0,
  failures: [],
  events: 0,
  repeated: 0,
  awaited: 0,
  open: 0,
};

const countsOf = (cluster: Cluster): Promise<Counts> => lastPrinted(cluster, name, noCounts);

/** The figures of a load in one line. */
export const summary = ({ requests, failed, events, repeated }: Counts): string =>
  `${requests} requests, ${failed} failed; ${events} events, ${repeated} repeated`;
