import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { chartDir, openChart } from './helm.ts';
import {
  containerOf,
  findObject,
  type Manifest,
  objectsOf,
  podOf,
  podsIn,
  selects,
  workloads,
} from './manifests.ts';

// Two releases beside each other, and two versions of one release.

const chart = await openChart();
const idsOf = (objects: readonly Manifest[]) =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);

test('two releases in one namespace share no object, and select none of each other’s pods', {
  skip: chart.skip,
}, async () => {
  const [one, other] = await Promise.all(
    ['bailiwick', 'second'].map((release) => chart.render({ file: 'evaluation', release })),
  );
  const shared = idsOf(one ?? []).filter((id) => idsOf(other ?? []).includes(id));
  assert.deepEqual(shared, []);
  const labels = podsIn(other ?? []).map(({ pod }) => pod.metadata.labels ?? {});
  const selectors = (one ?? []).flatMap(({ spec }) => {
    const { selector, podSelector } = (spec ?? {}) as {
      selector?: { matchLabels?: Record<string, string> };
      podSelector?: { matchLabels: Record<string, string> };
    };
    return [
      (selector?.matchLabels ?? selector ?? podSelector?.matchLabels ?? {}) as Record<
        string,
        string
      >,
    ];
  });
  const real = selectors.filter((selector) => Object.keys(selector).length > 0);
  assert.ok(real.length > 20);
  for (const selector of real) {
    assert.ok(!labels.some((pod) => selects(selector, pod)), JSON.stringify(selector));
  }
});

test('a changed setting replaces the pods that read it, and no others', {
  skip: chart.skip,
}, async () => {
  const pods = async (...set: string[]) => {
    const objects = await chart.render({ file: 'minimal', set });
    return new Map(
      Object.keys(workloads).map((name) => [
        name,
        JSON.stringify(podOf(objects, 'Deployment', name)),
      ]),
    );
  };
  const before = await pods();
  const changed = async (...set: string[]) => {
    const after = await pods(...set);
    return [...before].filter(([name, pod]) => after.get(name) !== pod).map(([name]) => name);
  };
  assert.deepEqual(await changed('config.tenantQuota=7'), ['gateway']);
  assert.deepEqual(await changed('config.tenantCreation=false'), ['access']);
  assert.deepEqual(await changed('services.notifications-email.config.emailConcurrency=3'), [
    'notifications-email',
  ]);
  assert.deepEqual(await changed('image.tag=0.2.0'), Object.keys(workloads));
  assert.deepEqual(await changed('services.gateway.replicas=3', 'dashboards.enabled=true'), []);
});

test('a digest takes precedence over a tag, and every pod gets the registry’s secrets', {
  skip: chart.skip,
}, async () => {
  const digest = `sha256:${'ab'.repeat(32)}`;
  const set = [
    'image.repository=registry.example.com/bailiwick',
    'image.tag=9.9.9',
    `image.digest=${digest}`,
    'imagePullSecrets[0].name=registry',
  ];
  const pods = podsIn(await chart.render({ file: 'minimal', set }));
  assert.ok(pods.length > 10);
  for (const { name, pod } of pods) {
    assert.equal(containerOf(pod).image, `registry.example.com/bailiwick@${digest}`, name);
    assert.deepEqual(pod.spec.imagePullSecrets, [{ name: 'registry' }], name);
  }
});

test('nameOverride and fullnameOverride change the names of the objects and the addresses between processes', {
  skip: chart.skip,
}, async () => {
  for (const [set, release, prefix] of [
    ['nameOverride=iam', 'bailiwick', 'bailiwick-iam'],
    ['nameOverride=iam', 'prod', 'prod-iam'],
    ['fullnameOverride=people', 'prod', 'people'],
    ['publicUrl=https://example.com', 'prod', 'prod-bailiwick'],
  ] as const) {
    const objects = await chart.render({ file: 'minimal', release, set: [set] });
    for (const { kind, metadata } of objects)
      assert.ok(metadata.name.startsWith(`${prefix}-`), `${set}: ${kind} ${metadata.name}`);
    const url = containerOf(podOf(objects, 'Deployment', 'gateway')).env?.find(
      ({ name }) => name === 'BAILIWICK_ACCESS_URL',
    )?.value;
    assert.equal(url, `http://${prefix}-access.test.svc.cluster.local:8080`);
    findObject(objects, 'Service', `${prefix}-access`);
  }
});

test('a release name of digits stays a string', { skip: chart.skip }, async () => {
  const digits = '0777';
  const named = [
    'nameOverride',
    'database.key',
    'mail.templatesConfigMap',
    'brand.configMap',
    'tls.trust.existingSecret',
    'ingress.className',
    'ingress.tlsSecret',
  ];
  const more = [
    'defaults.priorityClassName',
    'services.sso.serviceAccount.name',
    'telemetry.headers.existingSecret',
    'telemetry.headers.key',
  ];
  const secrets = ['database', 'mail', 'secrets', 'secrets.callerPublicKeys', 'tls.internal'].map(
    (group) => `${group}.existingSecret`,
  );
  const objects = await chart.render({
    file: 'minimal',
    release: digits,
    namespace: digits,
    set: [
      ...[...named, ...more, ...secrets].map((path) => `${path}=${digits}`),
      `externalSecrets.secrets.${digits}=bailiwick`,
      'externalSecrets.storeRef.name=vault',
      'tls.internal.mode=existing',
      'ingress.enabled=true',
      'config.trustedProxies={10.0.0.0/8}',
      'monitors.enabled=true',
      'telemetry.endpoint=http://collector:4318',
    ],
  });
  // As a number it would be 777, or 511 if parsed as octal.
  const numbers = new Set<unknown>(['777', '511', 777, 511]);
  JSON.stringify(objects, (key, value: unknown) =>
    numbers.has(value) ? assert.fail(`${key}: ${JSON.stringify(value)}`) : value,
  );
  for (const { kind, metadata } of objects)
    assert.equal(metadata.namespace, digits, `${kind} ${metadata.name}`);
});

test('`helm test` checks through the gateway’s Service its readiness, its description and a rejected sign-in', {
  skip: chart.skip,
}, async () => {
  const pods = objectsOf(await chart.render({ file: 'minimal' }), 'Pod');
  const hosts = pods.map(({ metadata, spec }) => {
    assert.equal(metadata.annotations?.['helm.sh/hook'], 'test');
    const { containers, restartPolicy } = spec as unknown as {
      containers: Array<{ command: string[] }>;
      restartPolicy: string;
    };
    assert.equal(restartPolicy, 'Never');
    const [node, script, url, status, body] = containers[0]?.command ?? [];
    assert.deepEqual([node, script], ['node', 'deploy/ask.ts']);
    assert.equal(body === undefined, status === '200');
    return `${url} ${status}`;
  });
  const gateway = 'http://bailiwick-gateway.test.svc.cluster.local';
  assert.deepEqual(hosts.sort(), [
    `${gateway}:8080/Account_Login 401`,
    `${gateway}:8080/openapi.json 200`,
    `${gateway}:9464/readyz 200`,
  ]);
});

test('values of an earlier version without the newer sections render like the current ones', {
  skip: chart.skip,
}, async () => {
  const read = (file: string) =>
    parse(readFileSync(join(chartDir, file), 'utf8')) as Record<string, unknown>;
  const named = Object.keys(read('values-minimal.yaml'));
  // Helm itself sets global, and a null removes dnsConfig.
  const newer = Object.keys(read('values.yaml')).filter(
    (name) => ![...named, 'global', 'dnsConfig'].includes(name),
  );
  assert.ok(newer.length > 10);
  assert.deepEqual(
    await chart.render({
      file: 'minimal',
      newSecrets: false,
      json: newer.map((name) => `${name}=null`),
    }),
    await chart.render({ file: 'minimal' }),
  );
  const without = podsIn(await chart.render({ file: 'minimal', json: ['dnsConfig=null'] }));
  assert.ok(without.length > 0 && without.every(({ pod }) => pod.spec.dnsConfig === undefined));
});
