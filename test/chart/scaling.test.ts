import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { openChart } from './helm.ts';
import { findObject, type Manifest, objectsOf, ownLabels, podOf, workloads } from './manifests.ts';

// The number of pods, who sets it, and where the pods run.

const chart = await openChart();
type Autoscaler = {
  scaleTargetRef: { name: string };
  minReplicas: number;
  maxReplicas: number;
  metrics: unknown;
};
type ScaledObject = {
  scaleTargetRef: { name: string };
  minReplicaCount: number;
  maxReplicaCount: number;
  fallback: { replicas: number };
  triggers: Array<{ type: string; metadata: Record<string, string> }>;
};
const replicasOf = (objects: readonly Manifest[], name: string) =>
  findObject(objects, 'Deployment', `bailiwick-${name}`).spec?.replicas;

test('without autoscaling a workload has the configured replicas, and no autoscaler', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({
    file: 'minimal',
    set: ['defaults.replicas=2', 'services.access.replicas=4'],
  });
  assert.deepEqual([replicasOf(objects, 'gateway'), replicasOf(objects, 'access')], [2, 4]);
  assert.deepEqual(
    [...objectsOf(objects, 'HorizontalPodAutoscaler'), ...objectsOf(objects, 'ScaledObject')],
    [],
  );
});

test('by CPU a HorizontalPodAutoscaler scales, and the Deployment sets no replicas, so that an upgrade does not reset them', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({ file: 'ci/hpa-values.yaml' });
  const autoscalers = objectsOf(objects, 'HorizontalPodAutoscaler');
  const scaled = Object.keys(workloads).filter((name) => name !== 'notifications-email');
  assert.deepEqual(
    autoscalers.map((one) => (one.spec as unknown as Autoscaler).scaleTargetRef.name).sort(),
    scaled.map((name) => `bailiwick-${name}`).sort(),
  );
  for (const name of Object.keys(workloads))
    assert.equal(replicasOf(objects, name), scaled.includes(name) ? undefined : 1, name);
  for (const autoscaler of autoscalers) {
    const { minReplicas, maxReplicas, metrics } = autoscaler.spec as unknown as Autoscaler;
    assert.deepEqual([minReplicas, maxReplicas], [3, 12]);
    assert.deepEqual(metrics, [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
      },
    ]);
  }
});

test('by queue KEDA scales, by the lag of all consumers of the workload, down to one pod and never to none', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({ file: 'ci/keda-values.yaml' });
  const scaled = objectsOf(objects, 'ScaledObject').map(
    ({ spec }) => spec as unknown as ScaledObject,
  );
  assert.deepEqual(scaled.map(({ scaleTargetRef }) => scaleTargetRef.name).sort(), [
    'bailiwick-notifications-delivery',
    'bailiwick-notifications-email',
  ]);
  const queuesOf = (name: string) =>
    scaled
      .find(({ scaleTargetRef }) => scaleTargetRef.name === name)
      ?.triggers.map(({ metadata }) => `${metadata['stream']}/${metadata['consumer']}`);
  const lanes = ['webhook', 'chat', 'logout', 'slow', 'replay'].map((lane) => `TASK/lane-${lane}`);
  assert.deepEqual(queuesOf('bailiwick-notifications-delivery'), ['EVT/fanout', ...lanes]);
  assert.deepEqual(queuesOf('bailiwick-notifications-email'), ['TASK/lane-email']);
  for (const { scaleTargetRef, minReplicaCount, fallback, triggers } of scaled) {
    assert.deepEqual([minReplicaCount, fallback.replicas], [1, 3]);
    const lag = scaleTargetRef.name === 'bailiwick-notifications-delivery' ? '500' : '200';
    for (const { type, metadata } of triggers) {
      assert.deepEqual([type, metadata['lagThreshold']], ['nats-jetstream', lag]);
      assert.deepEqual(
        [metadata['natsServerMonitoringEndpoint'], metadata['account']],
        ['nats-headless:8222', 'IAM'],
      );
    }
  }
  for (const name of ['notifications-delivery', 'notifications-email'])
    assert.equal(replicasOf(objects, name), undefined);
});

test('KEDA reads the streams with the prefix of the installation, which every process has', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({ file: 'ci/keda-values.yaml', set: ['nats.prefix=shop'] });
  const streams = objectsOf(objects, 'ScaledObject').flatMap(({ spec }) =>
    (spec as unknown as ScaledObject).triggers.map(({ metadata }) => metadata['stream']),
  );
  assert.deepEqual(new Set(streams), new Set(['shop-EVT', 'shop-TASK']));
  const prefixes = JSON.stringify(objects).match(/BAILIWICK_NATS_PREFIX","value":"shop"/g);
  assert.equal(prefixes?.length, 7);
});

test('KEDA reads the consumers that the code creates', () => {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  assert.match(
    read('services/notifications/queue/worker.ts'),
    /stream: 'TASK',\s+durable: `lane-\$\{name\}`/,
  );
  assert.match(
    read('services/notifications/fanout/fanout.ts'),
    /stream: 'EVT',\s+durable: 'fanout'/,
  );
  const lanes = [
    ...read('services/notifications/process-roles.ts').matchAll(/name: '(\w+)',\s+concurrency/g),
  ].map(([, lane]) => lane);
  assert.deepEqual(
    new Set(lanes),
    new Set(['chat', 'email', 'logout', 'replay', 'slow', 'webhook']),
  );
});

test('KEDA can read the queues of an evaluation’s broker through its headless Service', {
  skip: chart.skip,
}, async () => {
  const set = [
    'services.notifications-email.autoscaling.enabled=true',
    'services.notifications-email.autoscaling.by=queue',
  ];
  const objects = await chart.render({ file: 'evaluation', set });
  const [one] = objectsOf(objects, 'ScaledObject').map(
    ({ spec }) => spec as unknown as ScaledObject,
  );
  const [host, port] = (one?.triggers[0]?.metadata['natsServerMonitoringEndpoint'] ?? '').split(
    ':',
  );
  assert.equal(host, 'bailiwick-nats.test.svc.cluster.local');
  const service = findObject(objects, 'Service', 'bailiwick-nats').spec;
  assert.equal(service?.clusterIP, 'None');
  assert.ok(service?.ports?.some((one) => String(one.port) === port));
});

test('workloads with two or more pods have a disruption budget', {
  skip: chart.skip,
}, async () => {
  const budgeted = async (...set: string[]) =>
    objectsOf(await chart.render({ file: 'minimal', set }), 'PodDisruptionBudget').map(
      ({ metadata }) => metadata.name.replace('bailiwick-', ''),
    );
  assert.deepEqual(await budgeted(), []);
  assert.deepEqual(await budgeted('services.access.replicas=2'), ['access']);
  assert.deepEqual(
    await budgeted('services.access.autoscaling.enabled=true', 'services.access.replicas=1'),
    ['access'],
  );
  assert.deepEqual(
    await budgeted(
      'defaults.autoscaling.enabled=true',
      'defaults.autoscaling.minReplicas=1',
      'defaults.replicas=3',
    ),
    [],
  );
  assert.deepEqual(
    await budgeted('defaults.replicas=2', 'defaults.podDisruptionBudget.enabled=false'),
    [],
  );
  for (const budget of objectsOf(
    await chart.render({ file: 'ci/hpa-values.yaml' }),
    'PodDisruptionBudget',
  )) {
    assert.equal((budget.spec as { maxUnavailable?: number }).maxUnavailable, 1);
    const name = budget.metadata.name.replace('bailiwick-', '');
    assert.deepEqual(
      budget.spec?.selector?.matchLabels,
      findObject(
        await chart.render({ file: 'ci/hpa-values.yaml' }),
        'Deployment',
        `bailiwick-${name}`,
      ).spec?.selector?.matchLabels,
    );
  }
});

test('maxUnavailable can be a percentage, and targetCpuPercent can exceed the requested CPU', {
  skip: chart.skip,
}, async () => {
  const set = [
    'defaults.autoscaling.enabled=true',
    'defaults.autoscaling.targetCpuPercent=150',
    'defaults.podDisruptionBudget.maxUnavailable=50%',
  ];
  const objects = await chart.render({ file: 'minimal', set });
  assert.equal(
    (
      findObject(objects, 'PodDisruptionBudget', 'bailiwick-access').spec as {
        maxUnavailable?: unknown;
      }
    ).maxUnavailable,
    '50%',
  );
  assert.match(
    JSON.stringify(findObject(objects, 'HorizontalPodAutoscaler', 'bailiwick-access')),
    /"averageUtilization":150/,
  );
});

test('pods of a workload are spread over zones and nodes, without counting those of the replaced version', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({ file: 'minimal' });
  for (const name of Object.keys(workloads)) {
    const pod = podOf(objects, 'Deployment', name);
    const spread = pod.spec.topologySpreadConstraints ?? [];
    assert.deepEqual(
      spread.map(({ topologyKey }) => topologyKey).sort(),
      ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'],
      name,
    );
    for (const one of spread) {
      assert.deepEqual(
        [one.maxSkew, one.whenUnsatisfiable, one.matchLabelKeys],
        [1, 'ScheduleAnyway', ['pod-template-hash']],
      );
      assert.deepEqual(one.labelSelector?.matchLabels, ownLabels(pod), name);
    }
  }
  const full = podOf(await chart.render({ file: 'full' }), 'Deployment', 'identity').spec
    .topologySpreadConstraints;
  assert.deepEqual(
    full?.map(({ topologyKey, whenUnsatisfiable }) => [topologyKey, whenUnsatisfiable]),
    [
      ['topology.kubernetes.io/zone', 'DoNotSchedule'],
      ['example.com/rack', 'ScheduleAnyway'],
    ],
  );
});
