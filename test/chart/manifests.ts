import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { migrateSettings, settingTables } from '@bailiwick/deploy/settings.ts';
import type { Environment, SettingTable } from '@bailiwick/process';
import { pngOf } from '../support/images.ts';

// The fields of Kubernetes objects that the tests read.

export type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
  spec?: {
    replicas?: number;
    strategy?: unknown;
    selector?: { matchLabels?: Record<string, string> } & Record<string, unknown>;
    ports?: Array<{
      name: string;
      port: number;
      targetPort: string | number;
      appProtocol?: string;
    }>;
    type?: string;
    clusterIP?: string;
    template?: Pod;
  };
  data?: Record<string, string>;
};
type Metadata = {
  name: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
};

export type Pod = { metadata: Omit<Metadata, 'name'>; spec: PodSpec };
export type PodSpec = {
  serviceAccountName: string;
  automountServiceAccountToken?: boolean;
  enableServiceLinks?: boolean;
  terminationGracePeriodSeconds?: number;
  dnsConfig?: { options?: Array<{ name: string; value?: string }> };
  restartPolicy?: string;
  securityContext?: Record<string, unknown>;
  imagePullSecrets?: unknown[];
  nodeSelector?: Record<string, string>;
  tolerations?: object[];
  topologySpreadConstraints?: Spread[];
  containers: Container[];
  initContainers?: Container[];
  volumes: Volume[];
};
type Spread = {
  maxSkew: number;
  topologyKey: string;
  whenUnsatisfiable: string;
  matchLabelKeys?: string[];
  labelSelector?: { matchLabels: Record<string, string> };
};
export type Container = {
  name: string;
  image: string;
  imagePullPolicy?: string;
  command?: string[];
  args?: string[];
  env?: Variable[];
  ports?: Array<{ name: string; containerPort: number; hostPort?: number }>;
  volumeMounts: Array<{ name: string; mountPath: string; readOnly?: boolean }>;
  securityContext?: Record<string, unknown>;
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
} & Partial<
  Record<
    'startupProbe' | 'readinessProbe' | 'livenessProbe',
    { httpGet?: { path: string; port: string }; initialDelaySeconds?: number }
  >
>;
export type Variable = {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef?: { name: string; key: string }; fieldRef?: object };
};
type Items = Array<{ key: string; path: string }>;
export type Volume = {
  name: string;
  emptyDir?: object;
  persistentVolumeClaim?: object;
  secret?: { secretName: string; items: Items };
  configMap?: { name: string };
  projected?: {
    sources: Array<{
      secret?: { name: string; items: Items };
      serviceAccountToken?: { path: string };
    }>;
  };
};

/** Every workload, with the process whose settings it reads. */
export const workloads: Record<string, keyof typeof settingTables> = {
  gateway: 'gateway',
  identity: 'identity',
  access: 'access',
  sso: 'sso',
  'notifications-api': 'notifications',
  'notifications-delivery': 'notifications',
  'notifications-email': 'notifications',
};

/**
 * Every pod that reads a settings table: those of the workloads and of the migrations, if the chart
 * runs these.
 */
export function configuredPods(
  objects: readonly Manifest[],
): Array<{ name: string; table: SettingTable; pod: Pod }> {
  const pods = Object.entries(workloads).map(([name, process]) => ({
    name,
    table: settingTables[process] as SettingTable,
    pod: podOf(objects, 'Deployment', name),
  }));
  const jobs = objectsOf(objects, 'Job').flatMap(({ spec }) => spec?.template ?? []);
  const inPods = pods.flatMap(({ pod }) =>
    pod.spec.initContainers
      ? [{ ...pod, spec: { ...pod.spec, containers: pod.spec.initContainers } }]
      : [],
  );
  return [
    ...pods,
    ...[...jobs, ...inPods].map((pod) => ({ name: 'migrations', table: migrateSettings, pod })),
  ];
}

export const objectsOf = (objects: readonly Manifest[], kind: string): Manifest[] =>
  objects.filter((object) => object.kind === kind);

export function findObject(objects: readonly Manifest[], kind: string, name: string): Manifest {
  return (
    objectsOf(objects, kind).find(({ metadata }) => metadata.name === name) ??
    assert.fail(`there is no ${kind} ${name}`)
  );
}

export function podOf(objects: readonly Manifest[], kind: string, component: string): Pod {
  const matches = objects.filter(
    (object) =>
      object.kind === kind && object.metadata.labels?.['app.kubernetes.io/component'] === component,
  );
  assert.equal(matches.length, 1, `one ${kind} ${component}`);
  return matches[0]?.spec?.template ?? assert.fail(`${kind} ${component} has no pod`);
}

/** Every pod of a rendering, from any kind of object. */
export const podsIn = (objects: readonly Manifest[]): Array<{ name: string; pod: Pod }> =>
  objects.flatMap(({ kind, metadata, spec }) => {
    const pod = kind === 'Pod' ? ({ metadata, spec } as unknown as Pod) : spec?.template;
    return pod ? [{ name: `${kind} ${metadata.name}`, pod }] : [];
  });

/** Whether a selector matches the labels. */
export const selects = (
  selector: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> = {},
): boolean => Object.entries(selector).every(([key, value]) => labels[key] === value);

/** The labels of a pod that its own workload selects it by. The gateway's has one more. */
export const ownLabels = ({ metadata: { labels = {} } }: Pod): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => name !== 'bailiwick/entry'));

export function containerOf(pod: Pod): Container {
  assert.equal(pod.spec.containers.length, 1);
  return pod.spec.containers[0] ?? assert.fail();
}

export const environmentNames = (pod: Pod) => (containerOf(pod).env ?? []).map(({ name }) => name);

/** The value of a Secret's key. */
export type ReadSecret = (name: string, key: string) => string;

/** Reads the Secrets of a rendering. */
export function secretsIn(objects: readonly Manifest[]): ReadSecret {
  return (name, key) => {
    const encoded = objects.find(
      (object) => object.kind === 'Secret' && object.metadata.name === name,
    )?.data?.[key];
    return Buffer.from(
      encoded ?? assert.fail(`the Secret ${name} has no key ${key}`),
      'base64',
    ).toString();
  };
}

/**
 * The environment of the pod's container, with every file that it mounts from a Secret written to a
 * temporary folder.
 */
export function materialise(test: TestContext, pod: Pod, read: ReadSecret): Environment {
  const folder = mkdtempSync(join(tmpdir(), 'bailiwick-pod-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  const container = containerOf(pod);
  const mountOf = (volume: string) =>
    container.volumeMounts.find(({ name }) => name === volume)?.mountPath ??
    assert.fail(`${volume} is not mounted`);
  for (const volume of pod.spec.volumes) {
    // A process only needs the folder of a ConfigMap to start, and images that it names.
    if (volume.configMap) mkdirSync(join(folder, mountOf(volume.name)), { recursive: true });
    for (const { secret } of volume.projected?.sources ?? []) {
      for (const { key, path } of secret?.items ?? []) {
        const file = join(folder, mountOf(volume.name), path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, read(secret?.name ?? '', key));
      }
    }
  }
  const valueOf = ({ value = '', valueFrom: { secretKeyRef } = {} }: Variable) =>
    secretKeyRef ? read(secretKeyRef.name, secretKeyRef.key) : value;
  const entries = (container.env ?? []).map((variable): [string, string] => [
    variable.name,
    valueOf(variable),
  ]);
  const environment = entries.map(([name, value]): [string, string] => [
    name,
    value.startsWith('/run/') ? join(folder, value) : value,
  ]);
  for (const [, value] of environment)
    if (value.endsWith('.png')) writeFileSync(value, pngOf([30, 90, 60]));
  return Object.fromEntries(environment);
}
