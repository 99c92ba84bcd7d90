import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openChart } from './helm.ts';
import { containerOf, objectsOf, type PodSpec, podOf, podsIn, workloads } from './manifests.ts';

const chart = await openChart();

test('each workload has a ServiceAccount of its own', { skip: chart.skip }, async () => {
  const objects = await chart.render({ file: 'minimal' });
  const accounts = Object.keys(workloads).map(
    (name) => podOf(objects, 'Deployment', name).spec.serviceAccountName,
  );
  assert.equal(new Set(accounts).size, accounts.length);
  assert.deepEqual(
    objects
      .filter(({ kind }) => kind === 'ServiceAccount')
      .map(({ metadata }) => metadata.name)
      .sort(),
    [...accounts].sort(),
  );
});

test('workloads can share a ServiceAccount, which is created once', {
  skip: chart.skip,
}, async () => {
  const set = [
    'defaults.serviceAccount.name=shared',
    'services.sso.serviceAccount.annotations.role=sso',
    'services.identity.serviceAccount.name=own',
  ];
  const objects = await chart.render({ file: 'minimal', set });
  assert.deepEqual(
    objectsOf(objects, 'ServiceAccount').map(({ metadata }) => [
      metadata.name,
      metadata.annotations,
    ]),
    [
      ['own', undefined],
      ['shared', { role: 'sso' }],
    ],
  );
  for (const name of Object.keys(workloads)) {
    assert.equal(
      podOf(objects, 'Deployment', name).spec.serviceAccountName,
      name === 'identity' ? 'own' : 'shared',
    );
  }
});

test('`services.<name>` is merged into `defaults`, for that workload only', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({ file: 'full' });
  const limits = (name: string) =>
    containerOf(podOf(objects, 'Deployment', name)).resources?.limits;
  assert.deepEqual(
    [limits('gateway'), limits('notifications-delivery')],
    [{ memory: '1Gi' }, { memory: '2Gi' }],
  );
  assert.deepEqual(
    containerOf(podOf(objects, 'Deployment', 'notifications-delivery')).resources?.requests,
    { cpu: '100m', memory: '256Mi' },
  );
  assert.deepEqual(containerOf(podOf(objects, 'Deployment', 'identity')).command, [
    'node',
    '--max-old-space-size=768',
    'services/identity/main.ts',
  ]);
  assert.equal(podOf(objects, 'Deployment', 'sso').spec.serviceAccountName, 'sso');
  assert.ok(podsIn(objects).every(({ pod }) => containerOf(pod).image.includes('@sha256:')));
});

test('a workload removes limits by setting them to null', { skip: chart.skip }, async () => {
  const set = [
    'services.access.resources.limits=null',
    'services.sso.resources.requests.cpu=null',
    'services.sso.resources.limits.memory=1Gi',
  ];
  const objects = await chart.render({ file: 'minimal', set });
  const resources = (name: string) => containerOf(podOf(objects, 'Deployment', name)).resources;
  assert.deepEqual(resources('access'), { requests: { cpu: '100m', memory: '256Mi' } });
  assert.deepEqual(resources('sso'), { requests: { memory: '256Mi' }, limits: { memory: '1Gi' } });
  assert.deepEqual(resources('gateway'), {
    requests: { cpu: '100m', memory: '256Mi' },
    limits: { memory: '512Mi' },
  });
});

test('workloads and migrations have node selectors of their own, and remove a label of `defaults` by setting it to null', {
  skip: chart.skip,
}, async () => {
  const set = [
    'defaults.nodeSelector.pool=a',
    'defaults.tolerations[0].key=a',
    'services.access.nodeSelector.pool=null',
    'services.sso.nodeSelector.disk=ssd',
  ];
  const own = ['migrations.nodeSelector.pool=b', 'migrations.tolerations[0].key=b'];
  const placeOf = ({ nodeSelector, tolerations }: PodSpec) => [nodeSelector, tolerations];
  const objects = await chart.render({ file: 'minimal', set: [...set, ...own] });
  const [a, b] = [[{ key: 'a' }], [{ key: 'b' }]];
  assert.deepEqual(placeOf(podOf(objects, 'Deployment', 'gateway').spec), [{ pool: 'a' }, a]);
  assert.deepEqual(placeOf(podOf(objects, 'Deployment', 'access').spec), [undefined, a]);
  assert.deepEqual(placeOf(podOf(objects, 'Deployment', 'sso').spec), [
    { pool: 'a', disk: 'ssd' },
    a,
  ]);
  assert.deepEqual(placeOf(podOf(objects, 'Job', 'migrations').spec), [{ pool: 'b' }, b]);
  const plain = await chart.render({
    file: 'minimal',
    set: [...set, 'migrations.nodeSelector.pool=null'],
  });
  assert.deepEqual(placeOf(podOf(plain, 'Job', 'migrations').spec), [undefined, a]);
});
