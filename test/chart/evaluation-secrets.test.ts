import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCluster } from './cluster.ts';
import { openChart } from './helm.ts';
import { findObject, type Manifest } from './manifests.ts';

// Where an evaluation's keys come from. New ones in place of those in use would destroy its data.

const chart = await openChart();
const file = 'evaluation';
const own = 'bailiwick-evaluation';
const dataOf = (objects: readonly Manifest[]) => findObject(objects, 'Secret', own).data ?? {};
const isThere = (objects: readonly Manifest[]) => objects.some(({ kind }) => kind === 'Secret');

test('a rendering without a cluster and without given secrets is refused with the reason', {
  skip: chart.skip,
}, async () => {
  for (const values of [{ file }, { file: 'ci/single-values.yaml' }]) {
    const message = await chart.refusal({ ...values, newSecrets: false });
    assert.match(
      message,
      /evaluation\.existingSecret: .* does not read the cluster .*Argo CD.* cannot read its data/,
    );
  }
  const isPartlyNamed = ['secrets.existingSecret=keys', 'database.services.sso.existingSecret=sso'];
  await chart.refusal({ file, newSecrets: false, set: isPartlyNamed });
});

test('evaluation.existingSecret replaces the random secrets, so that every rendering is the same', {
  skip: chart.skip,
}, async () => {
  const values = { file, newSecrets: false, set: ['evaluation.existingSecret=given'] };
  const [first, second] = [await chart.template(values), await chart.template(values)];
  assert.equal(first, second);
  assert.doesNotMatch(first, /kind: Secret|bailiwick-evaluation/);
  assert.match(first, /secretName: given/);
  const named = ['secrets.existingSecret=keys', 'database.existingSecret=database'];
  assert.equal(isThere(await chart.render({ file, newSecrets: false, set: named })), false);
});

test('evaluation.existingSecret must not name the Secret that Helm would delete for it', {
  skip: chart.skip,
}, async () => {
  const set = [`evaluation.existingSecret=${own}`];
  assert.match(await chart.refusal({ file, set }), /Helm would delete it/);
});

test('an installation makes new secrets, and an upgrade of a release with secrets keeps them', {
  skip: chart.skip,
}, async (t) => {
  const render = async (kubeconfig: string, ...set: string[]) =>
    chart.render({ file, newSecrets: false, kubeconfig, set });
  const installed = dataOf(await render(await startCluster(t, [])));
  assert.ok(Object.keys(installed).length >= 15);
  const cluster = await startCluster(t, [{ metadata: { name: own }, data: installed }]);
  assert.deepEqual(dataOf(await render(cluster)), installed);
  const named = ['secrets.existingSecret=keys', 'database.existingSecret=database'];
  assert.deepEqual(dataOf(await render(cluster, ...named)), installed, 'although no pod reads it');
  assert.deepEqual(dataOf(await render(cluster, 'evaluation.newSecrets=true')), installed);
});
