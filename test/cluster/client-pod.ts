// A pod outside of the release that runs a script in the product's image.

/** What the profile `restricted` demands of a pod. */
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
