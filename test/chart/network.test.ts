import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createNetworks, parseNetwork } from '@bailiwick/contract';
import { isPublic } from '@bailiwick/egress';
import { parse } from 'yaml';
import { allowedEdges, calls, common, database, mail, nats, receivers } from './allowed-edges.ts';
import { chartDir, openChart, valueFiles } from './helm.ts';
import { podsIn, selects } from './manifests.ts';
import { edgesIn, networksOf, peersOf, policiesIn } from './policies.ts';

const chart = await openChart();
const networks = parse(readFileSync(join(chartDir, 'files/networks.yaml'), 'utf8')) as {
  public: Array<{ cidr: string; except: string[] }>;
};
const render = async (...set: string[]) => chart.render({ file: 'minimal', set });

const callersOf = (callee: string) =>
  Object.keys(allowedEdges).filter(
    (caller) => caller !== 'test' && allowedEdges[caller]?.includes(`${callee}:8080`),
  );

test('egress: pods reach only the addresses in the table', { skip: chart.skip }, async () => {
  const objects = await render();
  assert.deepEqual(
    policiesIn(objects)
      .map(({ component }) => component)
      .sort(),
    ['', ...Object.keys(allowedEdges)].sort(),
  );
  for (const [component, edges] of Object.entries(allowedEdges)) {
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
  for (const callee of Object.keys(allowedEdges)) {
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
  for (const [component, edges] of Object.entries(allowedEdges)) {
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
