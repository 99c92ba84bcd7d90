import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Schema } from '@bailiwick/deploy/docs/chart/constraints.ts';
import { chartSchema, leavesOf, readRenamed } from '@bailiwick/deploy/docs/chart/schema.ts';
import { readChartFile, readValues } from '@bailiwick/deploy/docs/chart/values.ts';
import { temporaryFolder } from '@bailiwick/deploy/local/testing.ts';
import { chartDir, openChart } from './helm.ts';

const chart = await openChart();

/** Free-form values: those of a parent chart, and those that Kubernetes defines. */
const free = ['global', 'podSecurityContext', 'containerSecurityContext', 'affinity', 'valueFrom'];
const freeItems = [
  'tolerations',
  'topologySpreadConstraints',
  'extraVolumes',
  'extraVolumeMounts',
  'parentRefs',
  'from',
  'to',
].map((name) => `${name}[]`);

/** A schema and all schemas below it, each with its path; a list's items as `list[]`. */
function* schemasIn(
  schema: Schema,
  path: string,
): Generator<readonly [path: string, schema: Schema]> {
  yield [path, schema];
  for (const [name, one] of Object.entries(schema.properties ?? {}))
    yield* schemasIn(one, `${path}.${name}`);
  if (schema['items']) yield* schemasIn(schema['items'] as Schema, `${path}[]`);
}

test('every value has a type and a description, and only free-form maps accept unknown keys', () => {
  const { definitions, ...values } = chartSchema();
  const described = [...schemasIn(values, 'values')];
  const defined = Object.entries(definitions as Record<string, Schema>).flatMap(([name, one]) => [
    ...schemasIn(one, name),
  ]);
  assert.ok(described.length > 150 && defined.length > 20);
  for (const [path, schema] of described) {
    if (!path.includes('[]'))
      assert.ok((schema.description ?? '').length > 4, `${path} has no description`);
  }
  for (const [path, { $ref, type, properties, additionalProperties: others }] of [
    ...described,
    ...defined,
  ]) {
    if ($ref !== undefined) continue;
    assert.ok(type, `${path} has no type`);
    if (properties) assert.equal(others, false, `${path} takes anything`);
    else if (
      !type.includes('object') ||
      [...free, ...freeItems].includes(path.split('.').at(-1) ?? '')
    )
      continue;
    else assert.ok(typeof others === 'object' && others.type, `${path} takes anything`);
  }
});

test('values.yaml has a comment for every group, and README.md has a row for every value', () => {
  const written = readValues();
  for (const name of Object.keys(written.values))
    assert.ok(written.comments.get(name), `${name} has no comment`);
  const readme = readChartFile('README.md');
  for (const { path } of leavesOf(written))
    if (path !== 'config') assert.ok(readme.includes(`| \`${path}\` |`), path);
});

test('a value under its old name is rejected with the new name', {
  skip: chart.skip,
}, async (t) => {
  const folder = temporaryFolder(t);
  cpSync(chartDir, folder, { recursive: true });
  const renamed = { 'egress.proxy': 'egress.proxyUrl', legacy: 'mode' };
  writeFileSync(join(folder, 'files/renamed.yaml'), JSON.stringify(renamed));
  writeFileSync(
    join(folder, 'values.schema.json'),
    JSON.stringify(chartSchema(readValues(), renamed)),
  );
  await chart.render({ chart: folder, file: 'minimal' });
  const message = await chart.refusal({
    chart: folder,
    file: 'minimal',
    set: ['egress.proxy=http://proxy:3128', 'legacy=yes'],
  });
  assert.match(message, /- egress\.proxy was renamed to egress\.proxyUrl\n/);
  assert.match(message, /- legacy was renamed to mode\n/);
});

test('no old name is a current one, and every new name exists', () => {
  const paths = [...readValues().comments.keys()];
  for (const [old, successor] of Object.entries(readRenamed())) {
    assert.ok(!paths.includes(old), old);
    assert.ok(paths.includes(successor), successor);
  }
});
