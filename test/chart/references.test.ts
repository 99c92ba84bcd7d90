import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingTables } from '@bailiwick/deploy/settings.ts';
import { shapes } from '@bailiwick/deploy/shapes.ts';
import { readSettings } from '@bailiwick/process';
import { openChart } from './helm.ts';
import {
  configuredPods,
  containerOf,
  materialise,
  objectsOf,
  type Pod,
  podOf,
} from './manifests.ts';
import { sampleSecret } from './secrets.ts';

// Secrets are referenced and mounted as files.

const chart = await openChart();

test('no variable of a container holds a secret, except headers that OpenTelemetry only reads there', {
  skip: chart.skip,
}, async () => {
  for (const file of ['minimal', 'full', 'evaluation', 'ci/split-databases-values.yaml']) {
    for (const { name, pod } of configuredPods(await chart.render({ file }))) {
      const referring = (containerOf(pod).env ?? [])
        .filter(({ valueFrom }) => valueFrom?.secretKeyRef)
        .map((one) => one.name);
      assert.deepEqual(
        referring,
        file === 'full' && name !== 'migrations' ? ['OTEL_EXPORTER_OTLP_HEADERS'] : [],
        `${name}, ${file}`,
      );
    }
  }
});

test('every file in a variable is mounted', { skip: chart.skip }, async () => {
  for (const file of [
    'minimal',
    'full',
    'evaluation',
    'ci/vault-values.yaml',
    'ci/egress-proxy-values.yaml',
    'ci/existing-tls-values.yaml',
  ]) {
    for (const { name, pod } of configuredPods(await chart.render({ file }))) {
      const container = containerOf(pod);
      const mounted = pod.spec.volumes.flatMap(({ name: volume, projected }) => {
        const path = container.volumeMounts.find((mount) => mount.name === volume)?.mountPath ?? '';
        return (projected?.sources ?? []).flatMap(({ secret, serviceAccountToken }) => {
          const files = [
            ...(secret?.items ?? []),
            ...(serviceAccountToken ? [serviceAccountToken] : []),
          ];
          return files.flatMap((one) => [
            `${path}/${one.path}`,
            `${path}/${one.path}`.replace(/\/[^/]+$/, ''),
          ]);
        });
      });
      const named = (container.env ?? []).filter(({ value }) =>
        /^\/run\/(bailiwick|migrations)\//.test(value ?? ''),
      );
      // A token of the pod is only mounted with a role to sign in to Vault.
      const files = named.filter(
        ({ name: variable }) =>
          variable !== 'BAILIWICK_VAULT_KUBERNETES_JWT_FILE' || file.includes('vault'),
      );
      for (const { name: variable, value } of files)
        assert.ok(mounted.includes(value ?? ''), `${file}, ${name}: ${variable} names ${value}`);
    }
  }
});

test('external-secrets creates the named Secrets, and they outlive the release', {
  skip: chart.skip,
}, async () => {
  const secrets = objectsOf(
    await chart.render({ file: 'ci/external-secrets-values.yaml' }),
    'ExternalSecret',
  ).map(({ metadata, spec }) => [metadata.name, spec]);
  const common = {
    refreshInterval: '15m',
    secretStoreRef: { name: 'vault', kind: 'ClusterSecretStore' },
  };
  const of = (name: string, key: string) => ({
    ...common,
    target: { name, creationPolicy: 'Orphan' },
    dataFrom: [{ extract: { key } }],
  });
  assert.deepEqual(secrets, [
    ['bailiwick', of('bailiwick', 'prod/bailiwick')],
    ['database', of('database', 'prod/database')],
  ]);
});

test('an evaluation without persistence has no claims, and one with persistence has two', {
  skip: chart.skip,
}, async () => {
  assert.equal(
    objectsOf(await chart.render({ file: 'ci/single-values.yaml' }), 'PersistentVolumeClaim')
      .length,
    0,
  );
  assert.equal(
    objectsOf(await chart.render({ file: 'evaluation' }), 'PersistentVolumeClaim').length,
    2,
  );
});

test('mode single has one workload, behind the same Service, with settings that its process accepts', {
  skip: chart.skip,
}, async (t) => {
  const objects = await chart.render({ file: 'values-single.yaml' });
  const namesOf = (kind: string) => objectsOf(objects, kind).map(({ metadata }) => metadata.name);
  assert.deepEqual(
    [namesOf('Deployment'), namesOf('Service')],
    [['bailiwick-gateway'], ['bailiwick-gateway']],
  );
  const pod = podOf(objects, 'Deployment', 'gateway');
  assert.equal(containerOf(pod).command?.at(-1), 'deploy/single.ts');
  assert.equal(pod.spec.terminationGracePeriodSeconds, 75);
  const settings = readSettings(shapes.single[0].settings, materialise(t, pod, sampleSecret));
  for (const service of shapes.single[0].services.slice(1))
    assert.equal(settings[`${service}DatabaseUrl`], 'postgres://bailiwick-database', service);
  const all: string = settingTables.notifications.roles.fallback;
  assert.deepEqual(settings['roles'], all.split(','));
});

test('a replica is named by a file: for the services of the shared database, or for one with its own', {
  skip: chart.skip,
}, async (t) => {
  const variablesOf = (pod: Pod) =>
    (containerOf(pod).env ?? [])
      .filter(({ name }) => name.includes('DATABASE_READ_URL'))
      .map(({ name, value }) => `${name}=${value}`);
  const shared = 'DATABASE_READ_URL_FILE=/run/bailiwick/database-read-url';
  const full = await chart.render({ file: 'full' });
  assert.deepEqual(
    ['identity', 'access', 'sso', 'gateway'].map((name) =>
      variablesOf(podOf(full, 'Deployment', name)),
    ),
    [[`BAILIWICK_IDENTITY_${shared}`], [shared], [], []],
  );
  const set = [
    'database.replica.existingSecret=replica',
    'database.services.sso.existingSecret=sso',
    'database.services.sso.replica.existingSecret=sso-replica',
  ];
  const single = podOf(
    await chart.render({ file: 'values-single.yaml', set }),
    'Deployment',
    'gateway',
  );
  assert.deepEqual(variablesOf(single).sort(), [
    'BAILIWICK_SSO_DATABASE_READ_URL_FILE=/run/bailiwick/sso-database-read-url',
    shared,
  ]);
  const settings = readSettings(shapes.single[0].settings, materialise(t, single, sampleSecret));
  for (const service of shapes.single[0].services.slice(1)) {
    const name = service === 'sso' ? 'sso-replica' : 'replica';
    assert.equal(settings[`${service}DatabaseReadUrl`], `postgres://${name}`, service);
  }
});
