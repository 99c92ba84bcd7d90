import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { serviceCaller, tokenKind } from '@bailiwick/contract';
import { settingTables } from '@bailiwick/deploy/settings.ts';
import { parseKeyRing } from '@bailiwick/keys';
import { readSettings } from '@bailiwick/process';
import { createCallerSigner, createCallerVerifier } from '@bailiwick/wire';
import { mostConnections } from './connections.ts';
import { openChart } from './helm.ts';
import { containerOf, type Manifest, materialise, podOf, podsIn, secretsIn } from './manifests.ts';

const chart = await openChart();
const names = (objects: readonly Manifest[], kind: string) =>
  objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);

test('an evaluation has database, broker and inbox, each with a Service and the first two with a disk', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({ file: 'evaluation' });
  assert.deepEqual(names(objects, 'StatefulSet').sort(), ['bailiwick-nats', 'bailiwick-postgres']);
  assert.deepEqual(names(objects, 'PersistentVolumeClaim').sort(), [
    'bailiwick-nats',
    'bailiwick-postgres',
  ]);
  assert.ok(names(objects, 'Deployment').includes('bailiwick-inbox'));
  for (const component of ['postgres', 'nats', 'inbox']) {
    const service = objects.find(
      ({ kind, metadata }) => kind === 'Service' && metadata.name === `bailiwick-${component}`,
    );
    const pod = podOf(objects, component === 'inbox' ? 'Deployment' : 'StatefulSet', component);
    assert.deepEqual(service?.spec?.selector, pod.metadata.labels);
    for (const { port } of service?.spec?.ports ?? [])
      assert.ok(containerOf(pod).ports?.some(({ containerPort }) => containerPort === port));
  }
  assert.ok(containerOf(podOf(objects, 'StatefulSet', 'nats')).command?.includes('--jetstream'));
});

test('image.pullPolicy Never does not apply to the images of an evaluation’s servers', {
  skip: chart.skip,
}, async () => {
  for (const { name, pod } of podsIn(
    await chart.render({ file: 'evaluation', set: ['image.pullPolicy=Never'] }),
  )) {
    const { image, imagePullPolicy } = containerOf(pod);
    assert.equal(imagePullPolicy, image.startsWith('bailiwick:') ? 'Never' : 'IfNotPresent', name);
  }
});

test('an evaluation’s PostgreSQL allows the connections of all pods during a rollout', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({ file: 'evaluation' });
  const most = containerOf(podOf(objects, 'StatefulSet', 'postgres')).args?.find((argument) =>
    argument.startsWith('max_connections='),
  );
  assert.equal(mostConnections(objects), 120);
  assert.ok(Number(most?.split('=')[1]) > 120);
});

test('an evaluation’s inbox and broker listen on the addresses that the processes use', {
  skip: chart.skip,
}, async () => {
  for (const [set, host] of [
    [[], '0.0.0.0'],
    [['config.host=::'], '::'],
  ] as const) {
    const objects = await chart.render({ file: 'evaluation', set });
    assert.ok(
      containerOf(podOf(objects, 'Deployment', 'inbox'))
        .command?.at(-1)
        ?.includes(`startInbox({ host: '${host}', `),
      host,
    );
    assert.equal(
      containerOf(podOf(objects, 'StatefulSet', 'nats')).command?.at(-1),
      `--addr=${host}`,
    );
  }
});

test('an evaluation creates only servers and Secrets that are not named', {
  skip: chart.skip,
}, async () => {
  const set = [
    'database.existingSecret=database',
    'nats.url=nats://nats:4222',
    'mail.smtpUrl=smtp://mail',
  ];
  const objects = await chart.render({ file: 'evaluation', set });
  assert.deepEqual(
    [names(objects, 'StatefulSet'), names(objects, 'PersistentVolumeClaim')],
    [[], []],
  );
  assert.ok(!names(objects, 'Deployment').includes('bailiwick-inbox'));
  const sources = podOf(objects, 'Deployment', 'identity').spec.volumes.flatMap(
    ({ projected }) => projected?.sources ?? [],
  );
  const database = sources.find(({ secret }) => secret?.items[0]?.path === 'database-url')?.secret;
  assert.deepEqual(database, { name: 'database', items: [{ key: 'url', path: 'database-url' }] });
});

test('an evaluation creates no database if every service names its own', {
  skip: chart.skip,
}, async () => {
  const set = ['identity', 'access', 'sso', 'notifications'].map(
    (name) => `database.services.${name}.existingSecret=${name}`,
  );
  assert.deepEqual(names(await chart.render({ file: 'evaluation', set }), 'StatefulSet'), [
    'bailiwick-nats',
  ]);
  assert.ok(
    names(await chart.render({ file: 'evaluation', set: set.slice(1) }), 'StatefulSet').includes(
      'bailiwick-postgres',
    ),
  );
});

test('the processes accept an evaluation’s keys, and each installation has new ones', {
  skip: chart.skip,
}, async (t) => {
  const objects = await chart.render({ file: 'evaluation' });
  const read = secretsIn(objects);
  const pod = (name: string) => materialise(t, podOf(objects, 'Deployment', name), read);
  const identity = readSettings(settingTables.identity, pod('identity'));
  const gateway = readSettings(settingTables.gateway, pod('gateway'));
  assert.deepEqual(
    [tokenKind(identity.platformKey.content), tokenKind(identity.workerToken.content)],
    ['botKey', 'worker'],
  );
  assert.equal(parseKeyRing(identity.keyRing.content).length, 1);
  assert.equal(
    new URL(identity.databaseUrl).password,
    read('bailiwick-evaluation', 'postgres-password'),
  );

  const verify = createCallerVerifier('identity', identity.callerPublicKeys.content);
  const signed = createCallerSigner('gateway', gateway.callerKey.content)(
    serviceCaller('gateway'),
    'identity',
  );
  assert.equal(verify(signed).id, 'gateway');

  const other = await chart.render({ file: 'evaluation' });
  const [first, second] = [objects, other].map(
    (rendered) => rendered.find(({ kind }) => kind === 'Secret')?.data ?? {},
  );
  assert.deepEqual(Object.keys(first ?? {}), Object.keys(second ?? {}));
  for (const [key, value] of Object.entries(first ?? {}))
    assert.notEqual(value, second?.[key], key);
});

test('the template’s checksum of a token equals the one in the code', {
  skip: chart.skip,
}, async () => {
  const tokens = (
    await Promise.all(Array.from({ length: 5 }, () => chart.render({ file: 'evaluation' })))
  ).flatMap((objects) => {
    const secrets = objects.find(({ kind }) => kind === 'Secret')?.data ?? {};
    return [secrets['platform-key'], secrets['worker-token']].map((encoded) =>
      Buffer.from(encoded ?? '', 'base64').toString(),
    );
  });
  assert.equal(new Set(tokens).size, 10);
  for (const token of tokens) assert.notEqual(tokenKind(token), undefined, token);
});

test('webhooks of an evaluation reach the inbox, unless config sets egressAllowHosts', {
  skip: chart.skip,
}, async () => {
  const allowed = async (...set: string[]) => {
    const { env } = containerOf(
      podOf(
        await chart.render({ file: 'evaluation', set }),
        'Deployment',
        'notifications-delivery',
      ),
    );
    return env?.find(({ name }) => name === 'BAILIWICK_EGRESS_ALLOW_HOSTS')?.value;
  };
  assert.equal(await allowed(), 'bailiwick-inbox.test.svc.cluster.local');
  assert.equal(await allowed('config.egressAllowHosts={receiver}'), 'receiver');
});
