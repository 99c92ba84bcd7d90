import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isPublic } from '@bailiwick/egress';
import { createNetworks, parseNetwork } from '@bailiwick/values';
import { parse } from 'yaml';
import { chartDir, openChart, valueFiles } from './helm.ts';
import { type Manifest, podsIn, selects } from './manifests.ts';
import { edgesIn, networksOf, peersOf, policiesIn } from './policies.ts';

// All allowed connections in one table. The policies deny all others.

const chart = await openChart();
const networks = parse(readFileSync(join(chartDir, 'files/networks.yaml'), 'utf8')) as {
  public: Array<{ cidr: string; except: string[] }>;
};
const render = async (...set: string[]) => chart.render({ file: 'minimal', set });
const common = ['any:53/UDP', 'any:53'];
const database = 'any:5432';
const nats = 'any:4222';
const receivers = ['public:443', 'public:8443'];
const mail = ['any:25', 'any:465', 'any:587'];

/** Over HTTP and over gRPC. */
const calls = (...names: string[]) => names.flatMap((name) => [`${name}:8080`, `${name}:8081`]);

const matrix: Record<string, readonly string[]> = {
  gateway: [...calls('identity', 'access', 'sso', 'notifications-api'), nats],
  identity: [...calls('access', 'sso'), database, nats],
  access: [...calls('identity'), database, nats],
  sso: [...calls('identity', 'access'), database, nats, ...receivers],
  'notifications-api': [...calls('access', 'sso'), database, nats, ...receivers, ...mail],
  'notifications-delivery': [...calls('access', 'sso'), database, nats, ...receivers],
  'notifications-email': [...calls('access', 'sso'), database, nats, ...mail],
  migrations: [database],
  test: ['gateway:8080', 'gateway:9464'],
};

const callersOf = (callee: string) =>
  Object.keys(matrix).filter(
    (caller) => caller !== 'test' && matrix[caller]?.includes(`${callee}:8080`),
  );

test('egress: pods reach only the addresses in the table', { skip: chart.skip }, async () => {
  const objects = await render();
  assert.deepEqual(
    policiesIn(objects)
      .map(({ component }) => component)
      .sort(),
    ['', ...Object.keys(matrix)].sort(),
  );
  for (const [component, edges] of Object.entries(matrix)) {
    assert.deepEqual(
      edgesIn(objects, component, 'egress').sort(),
      [...common, ...edges].sort(),
      component,
    );
  }
});

test('ingress: pods accept only the callers in the table, besides metrics and the gateway', {
  skip: chart.skip,
}, async () => {
  const objects = await render();
  for (const callee of Object.keys(matrix)) {
    const edges =
      callee === 'gateway' ? ['any:8080', 'test:8080', 'test:9464'] : calls(...callersOf(callee));
    const metrics = callee === 'migrations' || callee === 'test' ? [] : ['any:9464'];
    assert.deepEqual(
      edgesIn(objects, callee, 'ingress').sort(),
      [...edges, ...metrics].sort(),
      callee,
    );
  }
});

test('every pod is denied all traffic by default, in both directions and in both topologies', {
  skip: chart.skip,
}, async () => {
  for (const set of [[], ['mode=single'], ['mode=single', 'evaluation.enabled=true']]) {
    const objects = await render(...set);
    const [deny] = policiesIn(objects).filter(({ component }) => component === '');
    assert.deepEqual(deny?.spec.policyTypes, ['Ingress', 'Egress']);
    assert.deepEqual([deny?.spec.ingress, deny?.spec.egress], [undefined, undefined]);
    const all = deny?.spec.podSelector.matchLabels ?? {};
    assert.deepEqual(all, {
      'app.kubernetes.io/name': 'bailiwick',
      'app.kubernetes.io/instance': 'bailiwick',
    });
  }
  const single = edgesIn(await render('mode=single'), 'gateway', 'egress');
  assert.deepEqual(single.sort(), [...common, database, nats, ...receivers, ...mail].sort());
});

test('every pod has the default policy and one of its own, and the policies only name existing pods', {
  skip: chart.skip,
}, async () => {
  for (const file of Object.keys(valueFiles)) {
    const objects = await chart.render({ file });
    const pods = podsIn(objects).map(({ name, pod }) => ({ name, labels: pod.metadata.labels }));
    const policies = policiesIn(objects);
    for (const { name, labels } of pods) {
      const over = policies
        .filter(({ spec }) => selects(spec.podSelector.matchLabels, labels))
        .map(({ component }) => component);
      assert.deepEqual(
        over.sort(),
        ['', labels?.['app.kubernetes.io/component']],
        `${file}: ${name}`,
      );
    }
    for (const { component, spec } of policies) {
      assert.deepEqual(spec.policyTypes, ['Ingress', 'Egress'], `${file}: ${component}`);
      for (const { podSelector } of peersOf(spec)) {
        const selector = podSelector?.matchLabels;
        if (selector)
          assert.ok(
            pods.some(({ labels }) => selects(selector, labels)),
            `${file}: ${component} and ${JSON.stringify(selector)}`,
          );
      }
    }
  }
});

test('pods that may reach public addresses reach all of them, and no others', {
  skip: chart.skip,
}, async () => {
  const objects = await render();
  for (const [component, edges] of Object.entries(matrix)) {
    assert.deepEqual(
      networksOf(objects, component),
      edges.includes('public:443') ? networks.public : [],
      component,
    );
  }
});

test('the migration mode changes no connection, because a hook runs under the previous release’s policies', {
  skip: chart.skip,
}, async () => {
  const policies = policiesIn(await render());
  for (const mode of ['hook', 'initContainer', 'external'])
    assert.deepEqual(policiesIn(await render(`migrations.mode=${mode}`)), policies, mode);
});

test('`rpc.mode` changes no connection, so that it can change during operation', {
  skip: chart.skip,
}, async () => {
  assert.deepEqual(
    policiesIn(await render('rpc.mode=grpc')),
    policiesIn(await render('rpc.mode=http')),
  );
});

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
    const known = [...common, ...(matrix[component] ?? [])];
    return edgesIn(objects, component, 'egress').filter((edge) => !known.includes(edge));
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

test('the public addresses in the policies equal those of the egress guard', () => {
  const listed = (address: string) =>
    networks.public.some(
      ({ cidr, except }) => createNetworks([cidr])(address) && !createNetworks(except)(address),
    );
  const borders = networks.public
    .flatMap(({ except }) => except)
    .map((network) => parseNetwork(network) ?? assert.fail(network));
  const samples = [
    '1.1.1.1',
    '8.8.8.8',
    '2606:4700::1',
    '::1',
    'fd00::1',
    'fe80::1',
    '64:ff9b::1',
    ...borders.map(({ address }) => address),
  ];
  for (let first = 0; first < 256; first++)
    for (const second of [0, 63, 64, 127, 168, 254, 255])
      samples.push(`${first}.${second}.129.16`, `${first}.${second}.2.1`);
  for (const address of samples) assert.equal(listed(address), isPublic(address), address);
});
