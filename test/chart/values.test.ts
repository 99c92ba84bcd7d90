import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ensureSecrets } from '@bailiwick/deploy/local/secrets.ts';
import { temporaryFolder } from '@bailiwick/deploy/local/testing.ts';
import { images } from '@bailiwick/deploy/versions.ts';
import { parse } from 'yaml';
import { chartDir, openChart } from './helm.ts';
import { configuredPods } from './manifests.ts';

const chart = await openChart();
const read = (file: string) => readFileSync(join(chartDir, file), 'utf8');

test('an evaluation runs what the release is tested with', () => {
  const { evaluation } = parse(read('values.yaml')) as { evaluation: Record<'postgres' | 'nats', { image: string }> };
  assert.deepEqual({ postgres: evaluation.postgres.image, nats: evaluation.nats.image }, { postgres: images.postgres, nats: images.nats });
});

test('README.md makes every key that the least values ask for', { skip: chart.skip }, async (t) => {
  const made = Array.from(read('README.md').matchAll(/--from-file=(\S+)=bailiwick-keys\/(\S+)/g), ([, key = '', file = '']) => ({ key, file }));
  const folder = temporaryFolder(t);
  ensureSecrets(folder);
  for (const { file } of made) readFileSync(join(folder, file));
  const pods = configuredPods(await chart.render({ file: 'minimal' })).map(({ pod }) => pod);
  const sources = pods.flatMap(({ spec }) => spec.volumes.flatMap(({ projected }) => projected?.sources ?? []));
  const keys = sources.filter(({ secret }) => secret?.name === 'bailiwick');
  const asked = new Set(keys.flatMap(({ secret }) => (secret?.items ?? []).map(({ key }) => key)));
  assert.deepEqual(made.map(({ key }) => key).sort(), [...asked].sort());
});
