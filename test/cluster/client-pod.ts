// A pod outside of the release that runs a script in the product's image.

type Client = {
  name: string;
  image: string;
  /** An ECMAScript module. */
  script: string;
  env?: Record<string, string>;
};

/** Fulfils Pod Security's profile `restricted`, which the namespaces of the scenarios enforce. */
export const clientPod = ({ name, image, script, env = {} }: Client) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: name } },
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
        name,
        image,
        imagePullPolicy: 'IfNotPresent',
        command: ['node', '--input-type=module', '--eval', script],
        env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
        resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      },
    ],
  },
});
