import type { Cluster } from './tools.ts';

// A pod outside of the release that runs a script in the product's image.

/** Where the receivers in such pods listen. */
export const receiverPort = 8080;

/** The demands of the profile `restricted` on a pod. */
export const podSecurity = (user: number) => ({
  automountServiceAccountToken: false,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: user,
    runAsGroup: user,
    fsGroup: user,
    seccompProfile: { type: 'RuntimeDefault' },
  },
});

/** What it demands of a container, with a read-only root file system besides. */
export const containerSecurity = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

export type Client = {
  name: string;
  image: string;
  /** An ECMAScript module. */
  script: string;
  env?: Record<string, string>;
  /** Names that only this pod resolves. */
  hosts?: ReadonlyArray<{ ip: string; hostnames: string[] }>;
};

/** Fulfils Pod Security's profile `restricted`, which the namespaces of the scenarios enforce. */
export const clientPod = ({ name, image, script, env = {}, hosts = [] }: Client) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: name } },
  spec: {
    restartPolicy: 'Never',
    ...podSecurity(65532),
    enableServiceLinks: false,
    hostAliases: hosts,
    containers: [
      {
        name,
        image,
        imagePullPolicy: 'IfNotPresent',
        command: ['node', '--input-type=module', '--eval', script],
        env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
        resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
        securityContext: containerSecurity,
      },
    ],
  },
});

/** Starts a pod with a Service of its name, and waits until it runs. */
export async function startReceiver(
  cluster: Cluster,
  pod: ReturnType<typeof clientPod>,
): Promise<void> {
  const { name } = pod.metadata;
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: receiverPort }] },
  };
  await cluster.apply([service, pod]);
  await cluster.kubectl('wait', `pod/${name}`, '--for=condition=Ready', '--timeout=120s');
}

/** The JSON in the last line that a pod has printed, or `none`. */
export async function lastPrinted<Counts>(
  cluster: Cluster,
  name: string,
  none: Counts,
): Promise<Counts> {
  return lastIn(await cluster.kubectl('logs', name, '--tail=1'), none);
}

export function lastIn<Counts>(logs: string, none: Counts): Counts {
  const line = logs.trim().split('\n').at(-1);
  return line ? (JSON.parse(line) as Counts) : none;
}
