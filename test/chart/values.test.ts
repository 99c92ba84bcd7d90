import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { ensureSecrets } from '@bailiwick/deploy/local/secrets.ts';
import { temporaryFolder } from '@bailiwick/deploy/local/testing.ts';
import { images } from '@bailiwick/deploy/versions.ts';
import { parse } from 'yaml';
import { chartDir, kubernetes, openChart } from './helm.ts';
import { configuredPods } from './manifests.ts';

const chart = await openChart();
const read = (file: string) => readFileSync(join(chartDir, file), 'utf8');

test('an evaluation runs the versions that the release is tested with', () => {
  const { evaluation } = parse(read('values.yaml')) as {
    evaluation: Record<'postgres' | 'nats', { image: string }>;
  };
  assert.deepEqual(
    { postgres: evaluation.postgres.image, nats: evaluation.nats.image },
    { postgres: images.postgres, nats: images.nats },
  );
});

test('the chart has no dependencies', () => {
  const { dependencies } = parse(read('Chart.yaml')) as { dependencies?: unknown };
  assert.deepEqual([dependencies, existsSync(join(chartDir, 'charts'))], [undefined, false]);
});

test('the oldest tested Kubernetes is the oldest that the chart accepts, and the documentation names it and the newest', () => {
  const [oldest, newest] = [kubernetes.oldest, kubernetes.newest].map((version) =>
    version.replace(/\.\d+$/, ''),
  );
  const { kubeVersion } = parse(read('Chart.yaml')) as { kubeVersion: string };
  assert.equal(kubeVersion, `>=${oldest}.0-0`);
  const documented = readFileSync(join(root, 'docs/kubernetes.md'), 'utf8');
  assert.ok(documented.includes(`| Kubernetes | ${oldest} or newer; `));
  assert.ok(documented.includes(`checked against the interfaces of ${oldest} and ${newest} |`));
});

test('the commands in README.md create every key that the minimal values need', {
  skip: chart.skip,
}, async (t) => {
  const files = Array.from(
    read('README.md').matchAll(/--from-file=(\S+)=bailiwick-keys\/(\S+)/g),
    ([, key = '', file = '']) => ({ key, file }),
  );
  const folder = temporaryFolder(t);
  ensureSecrets(folder);
  for (const { file } of files) readFileSync(join(folder, file));
  const pods = configuredPods(await chart.render({ file: 'minimal' })).map(({ pod }) => pod);
  const sources = pods.flatMap(({ spec }) =>
    spec.volumes.flatMap(({ projected }) => projected?.sources ?? []),
  );
  const keys = sources.filter(({ secret }) => secret?.name === 'bailiwick');
  const keyNames = new Set(
    keys.flatMap(({ secret }) => (secret?.items ?? []).map(({ key }) => key)),
  );
  assert.deepEqual(files.map(({ key }) => key).sort(), [...keyNames].sort());
});
