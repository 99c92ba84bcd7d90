import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedEdges, common } from './allowed-edges.ts';
import { openChart } from './helm.ts';
import type { Manifest } from './manifests.ts';
import { edgesIn } from './policies.ts';

// How values change the allowed connections, and the connections of an evaluation.

const chart = await openChart();
const render = async (...set: string[]) => chart.render({ file: 'minimal', set });

test('with an egress proxy, pods reach receivers only through it', {
  skip: chart.skip,
}, async () => {
  for (const [set, edge] of [
    ['egress.proxyUrl=http://proxy.example.com:3129', 'any:3129'],
    ['egress.proxyUrl=http://proxy.example.com', 'any:80'],
    ['egress.existingSecret=proxy', 'any:3128'],
  ] as const) {
    const objects = await render(set);
    for (const component of ['sso', 'notifications-api', 'notifications-delivery']) {
      const edges = edgesIn(objects, component, 'egress');
      assert.ok(edges.includes(edge) && !edges.some((one) => one.startsWith('public')), component);
    }
  }
});

test('a URL without a port uses the port of its scheme', { skip: chart.skip }, async () => {
  for (const [scheme, port] of [
    ['http', 80],
    ['https', 443],
  ] as const) {
    const objects = await render(
      `config.vaultUrl=${scheme}://vault.example.com`,
      `telemetry.endpoint=${scheme}://collector.example.com/otlp`,
    );
    const toServers = (component: string) =>
      edgesIn(objects, component, 'egress').filter((edge) => edge === `any:${port}`).length;
    assert.deepEqual([toServers('gateway'), toServers('sso')], [1, 2], scheme);
  }
});

test('configured peers are the only ones: ingress controller, monitoring, servers, collector, Vault', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({ file: 'full' });
  const outside = (component: string) =>
    edgesIn(objects, component, 'egress').filter((edge) => /^\d|^ns/.test(edge));
  const everywhere = [
    'ns kube-system:5353/UDP',
    'ns kube-system:5353',
    'ns nats:4223',
    'ns monitoring:4317',
  ];
  assert.deepEqual(outside('gateway').sort(), [...everywhere].sort());
  assert.deepEqual(outside('access').sort(), [...everywhere, '10.2.0.0/16:6432'].sort());
  const toReceivers = ['10.3.0.7/32:8888', '10.5.0.0/16:8200'];
  const resolvers = ['10.0.0.10/32', '10.0.0.11/32', '2001:db8::53/128'].flatMap((address) => [
    `${address}:53`,
    `${address}:53/UDP`,
  ]);
  assert.deepEqual(
    outside('sso').sort(),
    [...everywhere, ...toReceivers, ...resolvers, '10.2.0.0/16:6432'].sort(),
  );
  assert.ok(outside('notifications-email').includes('10.4.0.0/16:2525'));
  assert.deepEqual(edgesIn(objects, 'gateway', 'ingress').sort(), [
    'ns ingress:8080',
    'ns monitoring:9464',
    'test:8080',
    'test:9464',
  ]);
  assert.ok(!edgesIn(objects, 'gateway', 'egress').some((edge) => edge.startsWith('any')));
});

test('a workload reaches the servers in its own `config`', {
  skip: chart.skip,
}, async () => {
  const objects = await render(
    'config.egressPorts={9443}',
    'services.sso.config.vaultUrl=https://vault.example.com:8200',
    'services.sso.config.dnsResolvers={192.0.2.1,[2001:db8::1]}',
    'services.notifications-delivery.config.egressResolver=192.0.2.2:5353',
    'services.notifications-delivery.config.egressPorts={9444}',
  );
  const beyond = (component: string) => {
    const edges = [...common, ...(allowedEdges[component] ?? [])];
    return edgesIn(objects, component, 'egress').filter((edge) => !edges.includes(edge));
  };
  const resolvers = ['192.0.2.1/32', '2001:db8::1/128'].flatMap((address) => [
    `${address}:53/UDP`,
    `${address}:53`,
  ]);
  assert.deepEqual(beyond('sso'), [...resolvers, 'public:9443', 'any:8200']);
  assert.deepEqual(beyond('notifications-delivery'), [
    '192.0.2.2/32:5353/UDP',
    '192.0.2.2/32:5353',
    'public:9444',
  ]);
  assert.deepEqual(beyond('notifications-api'), ['public:9443']);
  assert.deepEqual(beyond('access'), []);
});

test('an evaluation’s servers accept only the pods that need them', {
  skip: chart.skip,
}, async () => {
  const objects: Manifest[] = await chart.render({ file: 'evaluation' });
  const services = [
    'identity',
    'access',
    'sso',
    'notifications-api',
    'notifications-delivery',
    'notifications-email',
  ];
  assert.deepEqual(
    edgesIn(objects, 'postgres', 'ingress').sort(),
    [...services, 'migrations'].map((name) => `${name}:5432`).sort(),
  );
  assert.deepEqual(
    edgesIn(objects, 'nats', 'ingress').sort(),
    ['any:8222', ...['gateway', ...services].map((name) => `${name}:4222`)].sort(),
  );
  assert.ok(edgesIn(objects, 'notifications-delivery', 'egress').includes('inbox:8025'));
  assert.ok(edgesIn(objects, 'notifications-email', 'egress').includes('inbox:1025'));
  for (const component of ['postgres', 'nats', 'inbox'])
    assert.deepEqual(edgesIn(objects, component, 'egress'), [], component);
});

test('a service of an evaluation with its own database reaches only that one, and the migrations both', {
  skip: chart.skip,
}, async () => {
  const own = 'database.services.identity.existingSecret=identity';
  const databasesOf = (objects: Manifest[], component: string) =>
    edgesIn(objects, component, 'egress').filter((edge) => edge.endsWith(':5432'));
  const both = ['postgres:5432', 'any:5432'];
  const [job, inPods] = await Promise.all(
    ['job', 'initContainer'].map((mode) =>
      chart.render({ file: 'evaluation', set: [own, `migrations.mode=${mode}`] }),
    ),
  );
  for (const [component, expected] of Object.entries({
    identity: ['any:5432'],
    access: ['postgres:5432'],
    migrations: both,
    gateway: [],
  }))
    assert.deepEqual(databasesOf(job ?? [], component), expected, component);
  for (const component of ['identity', 'access'])
    assert.deepEqual(
      databasesOf(inPods ?? [], component),
      both,
      `${component}, with migrations in its pods`,
    );
  const callers = (objects: Manifest[]) => edgesIn(objects, 'postgres', 'ingress');
  assert.ok(
    !callers(job ?? []).includes('identity:5432') &&
      callers(inPods ?? []).includes('identity:5432'),
  );
});
