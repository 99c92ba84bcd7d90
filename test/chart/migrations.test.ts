import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrateSettings } from '@bailiwick/deploy/settings.ts';
import { readSettings } from '@bailiwick/process';
import { openChart } from './helm.ts';
import { materialise, objectsOf, podOf, workloads } from './manifests.ts';
import { sampleSecret } from './secrets.ts';

const chart = await openChart();

test('the migration Job runs again if its image or its configuration changed, and only then', {
  skip: chart.skip,
}, async () => {
  const nameWith = async (...set: string[]) =>
    objectsOf(await chart.render({ file: 'minimal', set }), 'Job')
      .map(({ metadata }) => metadata.name)
      .join();
  const name = await nameWith();
  assert.match(name, /^bailiwick-migrations-[0-9a-f]{10}$/);
  assert.equal(await nameWith('services.gateway.replicas=3', 'config.endpointLimit=7'), name);
  assert.notEqual(await nameWith('image.tag=0.2.0'), name);
  assert.notEqual(await nameWith('database.migrations.existingSecret=owner'), name);
});

test('a plain Job has no hook, a hook’s Job runs before the workloads, and the other modes have no Job', {
  skip: chart.skip,
}, async () => {
  const hookOf = async (mode: string) =>
    objectsOf(await chart.render({ file: 'minimal', set: [`migrations.mode=${mode}`] }), 'Job').map(
      ({ metadata }) => metadata.annotations,
    );
  assert.deepEqual(await hookOf('job'), [undefined]);
  // A failed hook's Job stays for inspection until the next run replaces it.
  assert.deepEqual(await hookOf('hook'), [
    {
      'helm.sh/hook': 'pre-install,pre-upgrade',
      'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
    },
  ]);
  assert.deepEqual(await hookOf('external'), []);
  assert.deepEqual(await hookOf('initContainer'), []);
});

test('a migration hook works with external Secrets that it does not read', {
  skip: chart.skip,
}, async () => {
  const set = [
    'migrations.mode=hook',
    'externalSecrets.secrets.bailiwick=prod',
    'externalSecrets.storeRef.name=vault',
  ];
  assert.equal(objectsOf(await chart.render({ file: 'minimal', set }), 'ExternalSecret').length, 1);
});

test('as init containers the migrations run in the pods of every service with the migration login, and not in the gateway’s', {
  skip: chart.skip,
}, async () => {
  const set = ['migrations.mode=initContainer', 'database.migrations.existingSecret=owner'];
  const objects = await chart.render({ file: 'minimal', set });
  for (const name of Object.keys(workloads)) {
    const { initContainers = [], containers, volumes } = podOf(objects, 'Deployment', name).spec;
    assert.deepEqual(
      initContainers.map(({ command }) => command),
      name === 'gateway' ? [] : [['node', 'deploy/migrate.ts']],
      name,
    );
    const owners = volumes
      .filter(({ projected }) => projected?.sources.some(({ secret }) => secret?.name === 'owner'))
      .map((volume) => volume.name);
    assert.deepEqual(owners, name === 'gateway' ? [] : ['migrations']);
    assert.ok(
      !containers[0]?.volumeMounts.some(({ name: mounted }) => mounted === 'migrations'),
      `${name} has the owner’s login`,
    );
  }
});

test('the pods of the migrations use `defaults`, in every mode', {
  skip: chart.skip,
}, async () => {
  const extra = [
    'defaults.nodeArguments={--max-old-space-size=384}',
    'defaults.extraEnv[0].name=HOURS',
    'defaults.extraEnv[0].value=day',
    'defaults.extraVolumes[0].name=extra',
    'defaults.extraVolumes[0].configMap.name=extra',
    'defaults.extraVolumeMounts[0].name=extra',
    'defaults.extraVolumeMounts[0].mountPath=/run/extra',
  ];
  for (const mode of ['job', 'hook', 'initContainer']) {
    const objects = await chart.render({
      file: 'minimal',
      set: [...extra, `migrations.mode=${mode}`],
    });
    const isApart = mode !== 'initContainer';
    const { spec } = isApart
      ? podOf(objects, 'Job', 'migrations')
      : podOf(objects, 'Deployment', 'sso');
    const container = (isApart ? spec.containers : spec.initContainers)?.[0] ?? assert.fail(mode);
    assert.deepEqual(container.command, ['node', '--max-old-space-size=384', 'deploy/migrate.ts']);
    assert.deepEqual(container.env?.at(-1), { name: 'HOURS', value: 'day' }, mode);
    assert.ok(
      container.volumeMounts.some(({ mountPath }) => mountPath === '/run/extra'),
      mode,
    );
    assert.equal(spec.volumes.filter(({ name }) => name === 'extra').length, 1, mode);
  }
});

test('each service migrates its own database with the migration login, and learns its own login', {
  skip: chart.skip,
}, async (t) => {
  const pod = podOf(
    await chart.render({ file: 'ci/split-databases-values.yaml' }),
    'Job',
    'migrations',
  );
  const { waitSeconds, installationId, ...urls } = readSettings(
    migrateSettings,
    materialise(t, pod, sampleSecret),
  );
  assert.equal(waitSeconds, 180, 'docs/operations.md');
  assert.match(installationId, /^[a-z0-9-]+\.[a-z0-9-]+$/, 'namespace and name of the release');
  assert.deepEqual(urls, {
    identity: 'postgres://identity-owner',
    access: 'postgres://access-owner',
    sso: 'postgres://sso-owner',
    notifications: 'postgres://notifications-owner',
    identityLogin: 'postgres://identity',
    accessLogin: 'postgres://access',
    ssoLogin: 'postgres://sso',
    notificationsLogin: 'postgres://notifications',
  });
  // One login for all databases, and one that differs.
  const mixed = readSettings(
    migrateSettings,
    materialise(t, podOf(await chart.render({ file: 'full' }), 'Job', 'migrations'), sampleSecret),
  );
  assert.deepEqual(
    [
      mixed.identity,
      mixed.identityLogin,
      mixed.access,
      mixed.accessLogin,
      mixed.sso,
      mixed.ssoLogin,
    ],
    [
      'identity-owner',
      'identity-database',
      'database-owner',
      'database',
      'sso-database',
      'sso-database',
    ].map((name) => `postgres://${name}`),
  );
});

test('a login set to null counts as not set', {
  skip: chart.skip,
}, async () => {
  const without = ['database.migrations=null', 'database.services.sso.migrations=null'];
  assert.equal(
    await chart.template({ file: 'minimal', set: without }),
    await chart.template({ file: 'minimal' }),
  );
});
