import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { chartSchema, leavesOf, readRenamed, type Schema } from '@bailiwick/deploy/docs/chart/schema.ts';
import { readChartFile, readValues } from '@bailiwick/deploy/docs/chart/values.ts';
import { temporaryFolder } from '@bailiwick/deploy/local/testing.ts';
import { chartDir, openChart } from './helm.ts';

const chart = await openChart();
const free = ['global', 'podSecurityContext', 'containerSecurityContext', 'affinity'];

test('every value is typed and described, and a map that is not free takes no other keys', () => {
  let seen = 0;
  const visit = (schema: Schema, path: string) => {
    seen += 1;
    if (schema['$ref'] === undefined) assert.ok(schema.type, `${path} has no type`);
    assert.ok((schema.description ?? '').length > 4, `${path} has no description`);
    if (schema.properties) assert.equal(schema.additionalProperties, false, `${path} takes anything`);
    else if (schema.type === 'object' && schema.additionalProperties === undefined)
      assert.ok(free.includes(path.split('.').at(-1) ?? ''), `${path} takes anything`);
    for (const [name, one] of Object.entries(schema.properties ?? {})) if (schema.properties) visit(one, `${path}.${name}`);
  };
  for (const [name, one] of Object.entries(chartSchema().properties ?? {})) visit(one, name);
  assert.ok(seen > 150);
});

test('values.yaml says something of every group, and README.md has a row for every value', () => {
  const written = readValues();
  for (const name of Object.keys(written.values)) assert.ok(written.about.get(name), `${name} has no comment`);
  const readme = readChartFile('README.md');
  for (const { path } of leavesOf(written)) if (path !== 'config') assert.ok(readme.includes(`| \`${path}\` |`), path);
});

test('a value under its old name is refused with the new one', { skip: chart.skip }, async (t) => {
  const folder = temporaryFolder(t);
  cpSync(chartDir, folder, { recursive: true });
  const renamed = { 'egress.proxy': 'egress.proxyUrl', legacy: 'mode' };
  writeFileSync(join(folder, 'files/renamed.yaml'), JSON.stringify(renamed));
  writeFileSync(join(folder, 'values.schema.json'), JSON.stringify(chartSchema(readValues(), renamed)));
  await chart.render({ chart: folder, file: 'minimal' });
  const message = await chart.refusal({ chart: folder, file: 'minimal', set: ['egress.proxy=http://proxy:3128', 'legacy=yes'] });
  assert.match(message, /- egress\.proxy is called egress\.proxyUrl now\n/);
  assert.match(message, /- legacy is called mode now\n/);
});

test('an old name is none of today’s, and its new one is there', () => {
  const paths = [...readValues().about.keys()];
  for (const [old, successor] of Object.entries(readRenamed())) {
    assert.ok(!paths.includes(old), old);
    assert.ok(paths.includes(successor), successor);
  }
});
