import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { parse } from 'yaml';
import { mostConnections } from '../chart/connections.ts';
import { chartDir, kubernetes, objectsIn } from '../chart/helm.ts';
import { type Manifest, objectsOf as objectsOfKind, podsIn } from '../chart/manifests.ts';
import { findTool, run } from '../tools/go.ts';
import { findDefinitions } from './definitions.ts';
import { read } from './dockerfile.ts';

// Validates deploy/examples: objects of other projects against those projects' definitions, and
// values against the chart.

const examples = 'deploy/examples';
const values = globSync(`${examples}/*/values.yaml`, { cwd: root }).sort();
const manifests = globSync(`${examples}/*/*.yaml`, { cwd: root })
  .filter((file) => !file.endsWith('values.yaml'))
  .sort();
const helm = await findTool('helm');
const definitions = await findDefinitions();
const skip = helm.reason ?? false;

/** Renders the chart with values-production.yaml and the values of examples. */
async function render(...files: string[]): Promise<Manifest[]> {
  const given = [
    join(chartDir, 'values-production.yaml'),
    ...files.map((file) => join(root, file)),
  ];
  const place = [
    'template',
    'bailiwick',
    chartDir,
    '--namespace',
    'bailiwick',
    '--kube-version',
    kubernetes.oldest,
  ];
  const { stdout } = await run(
    helm.command ?? '',
    [...place, ...given.flatMap((file) => ['--values', file])],
    { maxBuffer: 1 << 26 },
  );
  return objectsIn(stdout);
}

const objectsOf = (file: string) => objectsIn(read(`${examples}/${file}`));
const find = (objects: readonly Manifest[], kind: string, name: string) =>
  objects.find((one) => one.kind === kind && one.metadata.name === name) ??
  assert.fail(`${kind} ${name}`);

test('every example exists, has matching values, and is listed', () => {
  const listed = Array.from(
    read(`${examples}/README.md`).matchAll(/^\| \[([a-z-]+)\]\(\1\)/gm),
    ([, name = '']) => name,
  );
  assert.deepEqual(
    listed.sort(),
    values.map((file) => dirname(file).split('/').at(-1) ?? '').sort(),
  );
  assert.ok(listed.length >= 7);
  for (const file of manifests)
    assert.ok(existsSync(join(root, dirname(file), 'values.yaml')), file);
});

test('every object is valid by its project’s definition, without unknown fields', {
  skip: definitions.reason ?? false,
}, () => {
  let checked = 0;
  for (const file of manifests) {
    for (const object of objectsIn(read(file))) {
      const check = definitions.checks?.get(`${object.apiVersion} ${object.kind}`);
      if (object.apiVersion === 'v1') continue;
      assert.ok(check, `${file}: no definition of ${object.apiVersion} ${object.kind}`);
      assert.ok(
        check(object),
        `${file}: ${object.kind} ${object.metadata.name}: ${JSON.stringify(check.errors)}`,
      );
      checked += 1;
      const wrong = { ...object, spec: { ...object.spec, misspelt: true } };
      assert.ok(!check(wrong), `${object.kind} is not checked strictly`);
    }
  }
  assert.ok(checked >= 10, String(checked));
});

test('the chart accepts the values of each example, and those of all together', {
  skip,
}, async () => {
  for (const file of values) assert.ok((await render(file)).length > 30, file);
  await render(...values);
});

/**
 * The creators of the Secrets that the chart names with all examples. A pod does not start without
 * its Secrets.
 */
const makers: Readonly<Record<string, string>> = {
  bailiwick: 'external-secrets',
  'bailiwick-mail': 'external-secrets',
  'bailiwick-database': 'cloudnativepg, before the cluster',
  'bailiwick-postgres-ca': 'cloudnativepg, by the operator',
};

test('with all examples, one of them creates every named Secret', {
  skip,
}, async () => {
  const objects = await render(...values);
  const certificates = objectsOfKind(objects, 'Certificate').map(
    ({ spec }) => (spec as unknown as { secretName: string }).secretName,
  );
  const sources = podsIn(objects).flatMap(({ pod }) =>
    pod.spec.volumes.flatMap(({ projected }) => projected?.sources ?? []),
  );
  const named = new Set(sources.flatMap(({ secret }) => (secret ? [secret.name] : [])));
  assert.deepEqual([...named].sort(), [...certificates, ...Object.keys(makers)].sort());
});

test('PostgreSQL: the chart uses the Secret, the CA and the pods of the cluster', {
  skip,
}, async () => {
  const cluster = find(objectsOf('cloudnativepg/cluster.yaml'), 'Cluster', 'bailiwick-postgres');
  const { bootstrap } = cluster.spec as unknown as {
    bootstrap: { initdb: { secret: { name: string } } };
  };
  const { database, tls, networkPolicy } = parse(read(`${examples}/cloudnativepg/values.yaml`)) as {
    database: { existingSecret: string };
    tls: { trust: { existingSecret: string } };
    networkPolicy: {
      database: { to: Array<{ podSelector: { matchLabels: Record<string, string> } }> };
    };
  };
  assert.equal(database.existingSecret, bootstrap.initdb.secret.name);
  assert.equal(tls.trust.existingSecret, `${cluster.metadata.name}-ca`);
  assert.deepEqual(networkPolicy.database.to[0]?.podSelector.matchLabels, {
    'cnpg.io/cluster': cluster.metadata.name,
  });
  assert.match(
    read(`${examples}/cloudnativepg/cluster.yaml`),
    new RegExp(`@${cluster.metadata.name}-rw:5432/bailiwick\\?sslmode=verify-full`),
  );
});

test('PostgreSQL allows the connections of the maximum number of pods during a rollout', {
  skip,
}, async () => {
  const cluster = find(objectsOf('cloudnativepg/cluster.yaml'), 'Cluster', 'bailiwick-postgres')
    .spec as unknown as {
    postgresql: { parameters: { max_connections: string } };
  };
  assert.ok(
    mostConnections(await render(`${examples}/cloudnativepg/values.yaml`)) <
      Number(cluster.postgresql.parameters.max_connections),
  );
});

test('NATS: the workers scale by the queues of the named servers', { skip }, async () => {
  const objects = await render(`${examples}/nats/values.yaml`);
  for (const name of ['bailiwick-notifications-delivery', 'bailiwick-notifications-email']) {
    assert.ok(
      JSON.stringify(find(objects, 'ScaledObject', name)).includes(
        'nats-headless.nats.svc.cluster.local:8222',
      ),
      name,
    );
  }
  const own = parse(read(`${examples}/nats/nats-values.yaml`)) as {
    config: { cluster: { replicas: number }; jetstream: { enabled: boolean } };
  };
  assert.deepEqual([own.config.cluster.replicas, own.config.jetstream.enabled], [3, true]);
});

test('Secrets: each Secret that the workloads mount comes from the store', { skip }, async () => {
  const objects = await render(`${examples}/external-secrets/values.yaml`);
  const store = find(objectsOf('external-secrets/store.yaml'), 'SecretStore', 'vault');
  for (const name of ['bailiwick', 'bailiwick-mail']) {
    const { secretStoreRef } = find(objects, 'ExternalSecret', name).spec as unknown as {
      secretStoreRef: object;
    };
    assert.deepEqual(secretStoreRef, { name: store.metadata.name, kind: store.kind });
  }
});

test('TLS: the example’s issuer signs the processes’ certificates', { skip }, async () => {
  const issuer = find(objectsOf('cert-manager/issuer.yaml'), 'Issuer', 'bailiwick');
  const certificates = (await render(`${examples}/cert-manager/values.yaml`)).filter(
    ({ kind }) => kind === 'Certificate',
  );
  assert.ok(certificates.length >= 7);
  for (const { spec } of certificates)
    assert.equal(
      (spec as unknown as { issuerRef: { name: string } }).issuerRef.name,
      issuer.metadata.name,
    );
  const authority = find(objectsOf('cert-manager/issuer.yaml'), 'Certificate', 'bailiwick-ca')
    .spec as unknown as { privateKey: { rotationPolicy: string } };
  assert.equal(authority.privateKey.rotationPolicy, 'Never');
});

test('Gateway API: the route belongs to a listener of its Gateway', { skip }, async () => {
  const gateway = find(objectsOf('gateway-api/gateway.yaml'), 'Gateway', 'public')
    .spec as unknown as { listeners: Array<{ name: string; hostname: string }> };
  const objects = await render(`${examples}/gateway-api/values.yaml`);
  const { parentRefs, hostnames } = find(objects, 'HTTPRoute', 'bailiwick-gateway')
    .spec as unknown as {
    parentRefs: Array<{ sectionName: string }>;
    hostnames: string[];
  };
  const listener =
    gateway.listeners.find(({ name }) => name === parentRefs[0]?.sectionName) ??
    assert.fail('no such listener');
  assert.deepEqual(hostnames, [listener.hostname]);
  assert.ok(!objects.some(({ kind }) => kind === 'Ingress'), 'a single entry point');
});

test('Argo CD installs the current version and ignores no differences: with autoscaling, the chart sets no replicas', () => {
  const { sources, ignoreDifferences } = find(
    objectsOf('argo-cd/application.yaml'),
    'Application',
    'bailiwick',
  ).spec as unknown as {
    sources: Array<{ chart?: string; targetRevision: string }>;
    ignoreDifferences?: unknown;
  };
  assert.equal(ignoreDifferences, undefined);
  const { version, name } = parse(read('helm/bailiwick/Chart.yaml')) as {
    version: string;
    name: string;
  };
  assert.deepEqual([sources[0]?.chart, sources[0]?.targetRevision], [name, version]);
});
