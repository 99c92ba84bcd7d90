import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { chartDir, openChart } from './helm.ts';

const chart = await openChart();
const text = readFileSync(path.join(chartDir, 'dashboards/bailiwick.json'), 'utf8');
const documented = readFileSync(path.join(chartDir, '../../docs/observability.md'), 'utf8');

type Panel = {
  type: string;
  title: string;
  description?: string;
  targets?: Array<{ expr: string }>;
};
const { panels } = JSON.parse(text) as { panels: Panel[] };

test('the dashboard queries all metrics, and only existing ones', () => {
  const queried = new Set(
    text.match(/bailiwick_\w+/g)?.map((name) => name.replace(/_(bucket|count|sum)$/, '')),
  );
  const metrics = new Set(documented.match(/`bailiwick_\w+`/g)?.map((name) => name.slice(1, -1)));
  const without = (names: ReadonlySet<string>, others: ReadonlySet<string>) =>
    [...names].filter(
      (name) =>
        !others.has(name) &&
        !others.has(`${name}_total`) &&
        !others.has(name.replace(/_total$/, '')),
    );
  assert.deepEqual(without(queried, metrics), []);
  assert.deepEqual(without(metrics, queried), []);
});

test('every panel has a description, and selects the job', () => {
  const graphs = panels.filter(({ type }) => type !== 'row');
  assert.ok(graphs.length > 10);
  for (const { title, description, targets = [] } of graphs) {
    assert.match(description ?? '', /\.$/, title);
    assert.ok(targets.length > 0, title);
    for (const { expr } of targets) assert.match(expr, /\{job=~"\$job"/, title);
  }
});

test('`dashboards.enabled` creates a ConfigMap with the unchanged dashboard', {
  skip: chart.skip,
}, async () => {
  const find = (manifests: Array<{ kind?: unknown; metadata?: { name?: string } }>) =>
    manifests.filter(({ metadata }) => metadata?.name?.endsWith('-dashboards'));
  assert.deepEqual(find(await chart.render({ file: 'minimal' })), []);
  const [map] = find(await chart.render({ file: 'full' })) as Array<{
    kind: string;
    metadata: { labels: Record<string, string> };
    data: Record<string, string>;
  }>;
  assert.equal(map?.kind, 'ConfigMap');
  assert.equal(map?.metadata.labels['grafana_dashboard'], '1');
  assert.deepEqual(JSON.parse(map?.data['bailiwick.json'] ?? ''), JSON.parse(text));
});
