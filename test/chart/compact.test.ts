import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapes } from '@bailiwick/deploy/shapes.ts';
import { readSettings } from '@bailiwick/process';
import { allowedEdges, calls, common, database, mail, nats, receivers } from './allowed-edges.ts';
import { openChart } from './helm.ts';
import {
  containerOf,
  findObject,
  type Manifest,
  materialise,
  objectsOf,
  podOf,
  selects,
  workloads,
} from './manifests.ts';
import { edgesIn } from './policies.ts';
import { sampleSecret } from './secrets.ts';

// Mode compact, and the way to it and back.

const chart = await openChart();
const render = (...set: string[]) => chart.render({ file: 'minimal', set });
const compact = ['mode=compact'];
const [toCompact, back] = [
  ['mode=compact', 'movingFrom=services'],
  ['mode=services', 'movingFrom=compact'],
];

/** In compact, calls of the services that serve holds have a port beside the gateway's. */
const edges = {
  serve: [...calls('deliver'), database, nats, ...receivers],
  deliver: ['serve:8082', 'serve:8081', database, nats, ...receivers, ...mail],
};

const deploymentsIn = (objects: readonly Manifest[]) =>
  objectsOf(objects, 'Deployment')
    .map(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] ?? '')
    .sort();

/** The components whose pods the Service of the gateway selects. */
const behindGateway = (objects: readonly Manifest[]) =>
  objectsOf(objects, 'Deployment')
    .filter(({ spec }) => selects(selectorIn(objects), spec?.template?.metadata.labels))
    .map(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] ?? '')
    .sort();

function selectorIn(objects: readonly Manifest[]): Record<string, string> {
  const { spec } = findObject(objects, 'Service', 'bailiwick-gateway');
  return spec?.selector as unknown as Record<string, string>;
}

test('mode compact has two workloads, with settings that their processes accept and a key and a database of each service', {
  skip: chart.skip,
}, async (t) => {
  const objects = await render(
    ...compact,
    'database.services.access.existingSecret=access',
    'tls.internal.mode=existing',
    'tls.internal.existingSecret=certificate',
  );
  assert.deepEqual(deploymentsIn(objects), ['deliver', 'serve']);
  for (const { name, script, settings } of shapes.compact) {
    const pod = podOf(objects, 'Deployment', name);
    assert.equal(containerOf(pod).command?.at(-1), script);
    const read = readSettings(settings, materialise(t, pod, sampleSecret)) as Record<
      string,
      unknown
    >;
    if (name === 'deliver') continue;
    assert.deepEqual([read['port'], read['rpcPort'], read['grpcPort']], [8080, 8082, 8081]);
    assert.equal(read['notificationsUrl'], 'https://bailiwick-deliver.test.svc.cluster.local:8080');
  }
  const { env = [], volumeMounts } = containerOf(podOf(objects, 'Deployment', 'serve'));
  const valueOf = (name: string) => env.find((one) => one.name === name)?.value;
  assert.equal(valueOf('DATABASE_URL_FILE'), '/run/bailiwick/database-url');
  assert.equal(valueOf('BAILIWICK_ACCESS_DATABASE_URL_FILE'), '/run/bailiwick/access-database-url');
  assert.ok(volumeMounts.length > 0);
  const items = podOf(objects, 'Deployment', 'serve').spec.volumes.flatMap(
    ({ projected }) => projected?.sources.flatMap(({ secret }) => secret?.items ?? []) ?? [],
  );
  assert.deepEqual(
    items.filter(({ path }) => path === 'caller.key').map(({ key }) => key),
    ['gateway.key'],
  );
  assert.ok(items.some(({ path }) => path === 'callers/notifications.pub'));
});

test('mode compact: clients reach the gateway at the same Service, and the processes each other at others', {
  skip: chart.skip,
}, async () => {
  const objects = await render(...compact);
  assert.deepEqual(behindGateway(objects), ['serve']);
  const portsOf = (name: string) =>
    Object.fromEntries(
      (findObject(objects, 'Service', name).spec?.ports ?? []).map(({ port, targetPort }) => [
        port,
        targetPort,
      ]),
    );
  assert.deepEqual(portsOf('bailiwick-gateway'), { 8080: 'http', 9464: 'admin' });
  assert.deepEqual(portsOf('bailiwick-serve'), { 8080: 'rpc', 8081: 'grpc', 9464: 'admin' });
  assert.deepEqual(portsOf('bailiwick-deliver'), { 8080: 'http', 8081: 'grpc', 9464: 'admin' });
  const ports = containerOf(podOf(objects, 'Deployment', 'serve')).ports ?? [];
  assert.deepEqual(
    Object.fromEntries(ports.map(({ name, containerPort }) => [name, containerPort])),
    {
      http: 8080,
      rpc: 8082,
      grpc: 8081,
      admin: 9464,
    },
  );
});

test('mode compact: pods reach only what they need, and the API and the internal calls have callers of their own', {
  skip: chart.skip,
}, async () => {
  const objects = await render(...compact);
  for (const [component, own] of Object.entries(edges))
    assert.deepEqual(
      edgesIn(objects, component, 'egress').sort(),
      [...common, ...own].sort(),
      component,
    );
  assert.deepEqual(
    edgesIn(objects, 'serve', 'ingress').sort(),
    ['any:8080', 'any:9464', 'deliver:8081', 'deliver:8082', 'test:8080', 'test:9464'].sort(),
  );
  assert.deepEqual(
    edgesIn(objects, 'deliver', 'ingress').sort(),
    ['any:9464', ...calls('serve')].sort(),
  );
  assert.deepEqual(
    edgesIn(objects, 'test', 'egress').sort(),
    [...common, 'serve:8080', 'serve:9464'].sort(),
  );
});

test('mode compact scales, is watched and is disrupted as the workloads of services are', {
  skip: chart.skip,
}, async () => {
  const objects = await render(
    ...compact,
    'services.serve.autoscaling.enabled=true',
    'services.deliver.autoscaling.enabled=true',
    'services.deliver.autoscaling.by=queue',
    'nats.monitoring=nats:8222',
    'monitors.enabled=true',
    'tls.internal.mode=certManager',
    'tls.internal.certManager.issuerRef.name=ca',
  );
  const names = (kind: string) => objectsOf(objects, kind).map(({ metadata }) => metadata.name);
  assert.deepEqual(names('HorizontalPodAutoscaler'), ['bailiwick-serve']);
  assert.deepEqual(names('ScaledObject'), ['bailiwick-deliver']);
  for (const kind of ['PodDisruptionBudget', 'ServiceAccount', 'Certificate'])
    assert.deepEqual(names(kind).sort(), ['bailiwick-deliver', 'bailiwick-serve'], kind);
  const { triggers } = findObject(objects, 'ScaledObject', 'bailiwick-deliver').spec as unknown as {
    triggers: Array<{ metadata: { consumer: string } }>;
  };
  assert.deepEqual(triggers.map(({ metadata }) => metadata.consumer).sort(), [
    'fanout',
    ...['chat', 'email', 'logout', 'replay', 'slow', 'webhook'].map((lane) => `lane-${lane}`),
  ]);
  // The Service of the gateway leads to the same pods, and would be scraped twice.
  const monitor = objectsOf(objects, 'ServiceMonitor')[0]?.spec?.selector?.['matchExpressions'];
  assert.deepEqual(monitor, [
    { key: 'app.kubernetes.io/component', operator: 'In', values: ['deliver', 'serve'] },
  ]);
  assert.deepEqual(names('PodMonitor'), []);
});

for (const [mode, moving] of [
  ['services', toCompact],
  ['compact', back],
] as const)
  test(`on the way from mode ${mode} the pods of both modes run, unchanged, behind one Service of the gateway`, {
    skip: chart.skip,
  }, async () => {
    const [services, two, both] = [
      await render(),
      await render(...compact),
      await render(...moving),
    ];
    assert.deepEqual(deploymentsIn(both), [...Object.keys(workloads), 'deliver', 'serve'].sort());
    assert.deepEqual(behindGateway(both), ['gateway', 'serve']);
    // Neither step replaces a pod, so the pods of before are the ones that the Service selects.
    for (const alone of [services, two])
      for (const component of deploymentsIn(alone))
        assert.deepEqual(
          podOf(both, 'Deployment', component),
          podOf(alone, 'Deployment', component),
          component,
        );
    const before = mode === 'services' ? services : two;
    for (const { spec, metadata } of objectsOf(before, 'Service'))
      if (metadata.name !== 'bailiwick-gateway')
        assert.deepEqual(findObject(both, 'Service', metadata.name).spec, spec, metadata.name);
    for (const [component, own] of Object.entries({ ...allowedEdges, ...edges })) {
      if (component === 'test') continue;
      assert.deepEqual(
        edgesIn(both, component, 'egress').sort(),
        [...common, ...own].sort(),
        component,
      );
    }
  });

test('on the way, the former gateway ends before the processes that it calls, and all of these before their Services', {
  skip: chart.skip,
}, async () => {
  const stopped = (...names: string[]) =>
    names.flatMap((name) => [
      `services.${name}.replicas=0`,
      `services.${name}.autoscaling.enabled=false`,
    ]);
  for (const [moving, front, all] of [
    [toCompact, 'gateway', Object.keys(workloads)],
    [back, 'serve', ['serve', 'deliver']],
  ] as const) {
    const both = await render(...moving);
    const replicasIn = (objects: readonly Manifest[]) =>
      Object.fromEntries(
        objectsOf(objects, 'Deployment').map(({ metadata, spec }) => [
          metadata.name,
          spec?.replicas,
        ]),
      );
    for (const names of [[front], all]) {
      const next = await render(...moving, ...stopped(...names));
      const none = Object.fromEntries(names.map((name) => [`bailiwick-${name}`, 0]));
      assert.deepEqual(replicasIn(next), { ...replicasIn(both), ...none });
      for (const kind of ['Service', 'NetworkPolicy'])
        assert.deepEqual(objectsOf(next, kind), objectsOf(both, kind));
    }
  }
});

test('the Service of the gateway keeps its annotations in every mode, and those of serve precede', {
  skip: chart.skip,
}, async () => {
  const annotations = [
    'defaults.serviceAnnotations.first=common',
    'services.gateway.serviceAnnotations.first=gateway',
    'services.gateway.serviceAnnotations.second=gateway',
    'services.serve.serviceAnnotations.third=serve',
  ];
  const annotationsIn = async (...set: string[]) =>
    findObject(await render(...annotations, ...set), 'Service', 'bailiwick-gateway').metadata
      .annotations;
  const own = { first: 'gateway', second: 'gateway' };
  assert.deepEqual(await annotationsIn(), own);
  for (const set of [compact, toCompact, back])
    assert.deepEqual(await annotationsIn(...set), { ...own, third: 'serve' });
  assert.deepEqual(
    await annotationsIn(...compact, 'services.serve.serviceAnnotations.second=serve'),
    {
      first: 'gateway',
      second: 'serve',
      third: 'serve',
    },
  );
});

test('a release that has never been compact selects the pods of its gateway as before', {
  skip: chart.skip,
}, async () => {
  assert.deepEqual(Object.keys(selectorIn(await render())).sort(), [
    'app.kubernetes.io/component',
    'app.kubernetes.io/instance',
    'app.kubernetes.io/name',
  ]);
});
