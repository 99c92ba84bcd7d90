import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openChart } from './helm.ts';
import { findObject, objectsOf } from './manifests.ts';

// Ingress and HTTPRoute. refusals.test.ts tests that they require config.trustedProxies.

const chart = await openChart();
const metadata = ['oauth-authorization-server/iam', 'authzen-configuration/iam'].map(
  (name) => `/.well-known/${name}`,
);
type IngressSpec = {
  ingressClassName?: string;
  tls?: Array<{ hosts: string[]; secretName: string }>;
  rules: Array<{
    host: string;
    http: {
      paths: Array<{
        path: string;
        pathType: string;
        backend: { service: { name: string; port: { name: string } } };
      }>;
    };
  }>;
};
type RouteSpec = {
  parentRefs: unknown[];
  hostnames: string[];
  rules: Array<{
    matches: Array<{ path: { type: string; value: string } }>;
    backendRefs: Array<{ name: string; port: number }>;
  }>;
};

test('without Ingress and HTTPRoute the chart has no entry point', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({ file: 'minimal' });
  assert.deepEqual([...objectsOf(objects, 'Ingress'), ...objectsOf(objects, 'HTTPRoute')], []);
});

test('an Ingress routes the host of the public URL and all paths below its path to the gateway', {
  skip: chart.skip,
}, async () => {
  const ingress = findObject(
    await chart.render({ file: 'ci/ingress-values.yaml' }),
    'Ingress',
    'bailiwick-gateway',
  );
  const { ingressClassName, tls, rules } = ingress.spec as unknown as IngressSpec;
  assert.equal(ingressClassName, 'nginx');
  assert.deepEqual(tls, [{ hosts: ['example.com', 'iam.example.org'], secretName: 'hosts' }]);
  assert.deepEqual(
    rules.map(({ host }) => host),
    ['example.com', 'iam.example.org'],
  );
  const backend = { service: { name: 'bailiwick-gateway', port: { name: 'http' } } };
  for (const { http } of rules) {
    assert.deepEqual(http.paths, [
      { path: '/iam', pathType: 'Prefix', backend },
      // Metadata whose well-known path precedes that of the public URL.
      ...metadata.map((path) => ({ path, pathType: 'Exact', backend })),
    ]);
  }
  assert.deepEqual(ingress.metadata.annotations, { 'example.com/timeout': '30' });
});

test('an HTTPRoute does the same for its gateways', { skip: chart.skip }, async () => {
  const route = findObject(
    await chart.render({ file: 'ci/httproute-values.yaml' }),
    'HTTPRoute',
    'bailiwick-gateway',
  );
  const { parentRefs, hostnames, rules } = route.spec as unknown as RouteSpec;
  assert.deepEqual(parentRefs, [{ name: 'public', namespace: 'gateways', sectionName: 'https' }]);
  assert.deepEqual(hostnames, ['example.com', 'iam.example.org']);
  assert.deepEqual(rules, [
    {
      matches: [
        { path: { type: 'PathPrefix', value: '/iam' } },
        ...metadata.map((path) => ({ path: { type: 'Exact', value: path } })),
      ],
      backendRefs: [{ name: 'bailiwick-gateway', port: 8080 }],
    },
  ]);
});

test('a Service has its workload’s annotations, for a cloud’s load balancer', {
  skip: chart.skip,
}, async () => {
  const name = 'cloud.google.com/backend-config';
  const objects = await chart.render({
    file: 'minimal',
    set: [`services.gateway.serviceAnnotations.${name.replaceAll('.', '\\.')}=health`],
  });
  const annotated = objectsOf(objects, 'Service').filter(({ metadata }) => metadata.annotations);
  assert.deepEqual(
    annotated.map(({ metadata }) => [metadata.name, metadata.annotations]),
    [['bailiwick-gateway', { [name]: 'health' }]],
  );
});

test('a public URL with a port and without a path becomes a host and /', {
  skip: chart.skip,
}, async () => {
  const set = [
    'publicUrl=https://example.com:8443',
    'ingress.enabled=true',
    'config.trustedProxies={10.0.0.0/8}',
  ];
  const ingress = findObject(
    await chart.render({ file: 'minimal', set }),
    'Ingress',
    'bailiwick-gateway',
  );
  const { rules, tls } = ingress.spec as unknown as IngressSpec;
  assert.deepEqual(
    [rules[0]?.host, rules[0]?.http.paths.map(({ path }) => path), tls],
    ['example.com', ['/'], undefined],
  );
});

test('trustedProxies can be a setting of the gateway alone', {
  skip: chart.skip,
}, async () => {
  const set = ['ingress.enabled=true', 'services.gateway.config.trustedProxies={10.0.0.0/8}'];
  findObject(await chart.render({ file: 'minimal', set }), 'Ingress', 'bailiwick-gateway');
  // An empty list of its own would replace the common one.
  const emptied = {
    set: ['ingress.enabled=true', 'config.trustedProxies={10.0.0.0/8}'],
    json: ['services.gateway.config.trustedProxies=[]'],
  };
  assert.match(
    await chart.refusal({ file: 'minimal', ...emptied }),
    /at '\/services\/gateway\/config\/trustedProxies': minItems: got 0, want 1/,
  );
});

test('an Ingress can route all hosts of a domain', { skip: chart.skip }, async () => {
  const ingress = findObject(
    await chart.render({ file: 'ci/ingress-values.yaml', set: ['ingress.hosts={*.example.org}'] }),
    'Ingress',
    'bailiwick-gateway',
  );
  assert.deepEqual(
    (ingress.spec as unknown as IngressSpec).rules.map(({ host }) => host),
    ['example.com', '*.example.org'],
  );
});
