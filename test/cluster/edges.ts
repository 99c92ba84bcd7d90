import assert from 'node:assert/strict';
import { allowedEdges, database, mail, nats, receivers } from '../chart/allowed-edges.ts';
import { workloads } from '../chart/manifests.ts';
import { clientPod } from './client-pod.ts';
import type { Cluster } from './tools.ts';

// Tries every connection between the pods of an evaluation, and compares the open ones with the
// table of the policies.

const stranger = 'stranger';
const limitMs = 2000;

/** The ports that the pods of an evaluation listen on. */
const ports: Readonly<Record<string, readonly number[]>> = {
  ...Object.fromEntries(
    Object.keys(workloads).map((name) => [
      name,
      name === 'gateway' ? [8080, 9464] : [8080, 8081, 9464],
    ]),
  ),
  postgres: [5432],
  nats: [4222, 8222],
  inbox: [1025, 8025],
};

/** The table's outside edges, with the evaluation's own pods as database, broker and receiver. */
const included: Readonly<Record<string, string>> = {
  [database]: 'postgres:5432',
  [nats]: 'nats:4222',
  [receivers[0] ?? '']: 'inbox:8025',
  [mail[0] ?? '']: 'inbox:1025',
};

/** Ports whose callers the values do not restrict. A pod outside of the release reaches them. */
const openToAll = [
  'gateway:8080',
  'nats:8222',
  ...Object.keys(workloads).map((name) => `${name}:9464`),
];

/** The connections that a workload needs, and no others. */
export const neededBy = (source: string): string[] =>
  source === stranger
    ? openToAll
    : (allowedEdges[source] ?? []).flatMap((edge) => {
        const [target = ''] = edge.split(':');
        return target in ports ? [edge] : (included[edge] ?? []);
      });

/** Tries all targets at once, and prints the open ones. */
const attempt = (targets: ReadonlyArray<{ edge: string; host: string; port: number }>) => `
const net = await import('node:net');
const attempts = ${JSON.stringify(targets)}.map(({ edge, host, port }) => new Promise((done) => {
  const socket = net.connect({ host, port, timeout: ${limitMs} });
  socket.once('connect', () => done(edge)).once('timeout', () => done('')).once('error', () => done(''));
}));
console.log(JSON.stringify((await Promise.all(attempts)).filter(Boolean)));
process.exit();
`;

/** @returns the number of connections that were tried, and of those that are open */
export async function assertEdges(cluster: Cluster, image: string) {
  await cluster.apply([
    clientPod({ name: stranger, image, script: 'setInterval(() => {}, 60_000)' }),
  ]);
  await cluster.kubectl('wait', `pod/${stranger}`, '--for=condition=Ready', '--timeout=60s');
  const pods = new Map(
    (await cluster.pods())
      .filter(({ status }) => status.phase === 'Running')
      .map(({ metadata, status }) => [
        metadata.labels['app.kubernetes.io/component'] ?? metadata.name,
        {
          name: metadata.name,
          host: status.podIP ?? assert.fail(`no address of ${metadata.name}`),
        },
      ]),
  );
  let tried = 0;
  let open = 0;
  for (const source of [...Object.keys(workloads), stranger]) {
    const targets = Object.entries(ports).flatMap(([target, numbers]) =>
      target === source
        ? []
        : numbers.map((port) => ({
            edge: `${target}:${port}`,
            host: pods.get(target)?.host ?? assert.fail(`no pod of ${target}`),
            port,
          })),
    );
    const pod = pods.get(source)?.name ?? assert.fail(`no pod of ${source}`);
    const edges = JSON.parse(
      await cluster.kubectl(
        'exec',
        pod,
        '--',
        'node',
        '--input-type=module',
        '--eval',
        attempt(targets),
      ),
    ) as string[];
    assert.deepEqual(edges.sort(), [...neededBy(source)].sort(), `connections of ${source}`);
    tried += targets.length;
    open += edges.length;
  }
  await cluster.kubectl('delete', `pod/${stranger}`, '--grace-period=0', '--force');
  return { tried, open };
}
