import assert from 'node:assert/strict';
import { eventually } from '../support/harness.ts';
import type { Cluster } from './tools.ts';

// Runs the clients in the cluster, because a forwarded port closes with its pod.

const pod = 'load';

export type Counts = { requests: number; failures: string[] };
type Load = { image: string; gateway: string; token: string; tenant: string };

/**
 * Fifty requests a second to the gateway's Service, every other one a write. Prints a line with the
 * totals each second.
 */
const script = `
const { GATEWAY, TOKEN, TENANT } = process.env;
const counts = { requests: 0, failures: [] };
const asked = [
  (turn) => ['Account_Get', {}],
  (turn) => ['Groups_Save', { Group: { Tenant: TENANT, Path: 'load-' + turn } }],
];
async function send(turn) {
  const [operation, body] = asked[turn % asked.length](turn);
  const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + TOKEN };
  try {
    const answer = await fetch(GATEWAY + '/' + operation, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (answer.status !== 200) counts.failures.push(operation + ': ' + answer.status + ' ' + text);
  } catch (error) {
    counts.failures.push(operation + ': ' + error + ' ' + (error.cause ?? ''));
  }
  counts.requests++;
}
let turn = 0;
setInterval(() => void send(turn++), 20);
setInterval(() => console.log(JSON.stringify({ ...counts, failures: counts.failures.slice(0, 20) })), 1000);
`;

/** A pod that fulfils Pod Security's profile `restricted`, which the namespace enforces. */
export const loadPod = ({ image, gateway, token, tenant }: Load) => ({
  apiVersion: 'v1',
  spec: {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: pod,
        image,
        imagePullPolicy: 'IfNotPresent',
        command: ['node', '--eval', script],
        env: Object.entries({ GATEWAY: gateway, TOKEN: token, TENANT: tenant }).map(
          ([name, value]) => ({ name, value }),
        ),
        resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '256Mi' } },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      },
    ],
  },
});

export async function startLoad(cluster: Cluster, load: Load) {
  await cluster.kubectl(
    'run',
    pod,
    `--image=${load.image}`,
    '--restart=Never',
    `--overrides=${JSON.stringify(loadPod(load))}`,
  );
  await cluster.kubectl('wait', `pod/${pod}`, '--for=condition=Ready', '--timeout=120s');
  const counts = async (): Promise<Counts> =>
    lastCounts(await cluster.kubectl('logs', pod, '--tail=1'));
  await eventually('the first requests', async () => (await counts()).requests > 50, 60_000);
  return {
    counts,
    /** Asserts that there was load, and that no request failed. */
    async assertWhole(): Promise<void> {
      const { requests, failures } = await counts();
      assert.deepEqual(failures, []);
      assert.ok(requests > 500, `${requests} requests are too few`);
    },
  };
}

export const lastCounts = (logs: string): Counts =>
  JSON.parse(logs.trim().split('\n').at(-1) || '{"requests":0,"failures":[]}') as Counts;
