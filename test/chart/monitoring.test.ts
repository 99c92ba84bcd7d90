import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { operations } from '@bailiwick/contract';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { openChart } from './helm.ts';
import {
  containerOf,
  findObject,
  type Manifest,
  objectsOf,
  podOf,
  podsIn,
  selects,
  workloads,
} from './manifests.ts';

const chart = await openChart();
const read = (file: string) => readFileSync(join(root, file), 'utf8');
type Expression = { key: string; operator: string; values: string[] };
type Monitor = {
  jobLabel: string;
  namespaceSelector: { matchNames: string[] };
  selector: { matchLabels: Record<string, string>; matchExpressions: Expression[] };
  endpoints?: Endpoint[];
  podMetricsEndpoints?: Endpoint[];
};
type Endpoint = { port: string; path: string; interval: string; honorLabels: boolean };
type Alert = {
  alert: string;
  expr: string;
  labels: Record<string, string>;
  annotations: { summary: string; runbook_url: string };
};

const hasAdminPort = (listening?: { ports?: Array<{ name: string }> }) =>
  listening?.ports?.some(({ name }) => name === 'admin') ?? false;

test('monitors, alerts and telemetry are off by default', { skip: chart.skip }, async () => {
  const objects = await chart.render({ file: 'minimal' });
  for (const kind of ['ServiceMonitor', 'PodMonitor', 'PrometheusRule', 'ConfigMap'])
    assert.deepEqual(objectsOf(objects, kind), [], kind);
});

test('every workload’s metrics are scraped once, on the admin port', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({ file: 'ci/monitored-values.yaml' });
  const monitors = ['ServiceMonitor', 'PodMonitor'].flatMap((kind) => objectsOf(objects, kind));
  assert.equal(monitors.length, 2);
  const pods = podsIn(objects);
  const endpoints = monitors.flatMap(({ kind, metadata, spec }) => {
    const {
      jobLabel,
      namespaceSelector,
      selector,
      endpoints = [],
      podMetricsEndpoints = [],
    } = spec as unknown as Monitor;
    assert.equal(metadata.labels?.['release'], 'prometheus');
    assert.equal(jobLabel, 'app.kubernetes.io/instance');
    assert.deepEqual(namespaceSelector, { matchNames: ['test'] });
    assert.deepEqual(
      [...endpoints, ...podMetricsEndpoints],
      [{ port: 'admin', path: '/metrics', interval: '30s', honorLabels: true }],
    );
    const finds = (labels: Record<string, string> = {}) =>
      selects(selector.matchLabels, labels) &&
      selector.matchExpressions.every(
        ({ key, operator, values }) => operator === 'In' && values.includes(labels[key] ?? ''),
      );
    if (kind === 'PodMonitor')
      return pods.filter(({ pod }) => finds(pod.metadata.labels) && hasAdminPort(containerOf(pod)));
    const services = objectsOf(objects, 'Service').filter(
      (service) => finds(service.metadata.labels) && hasAdminPort(service.spec),
    );
    return services.flatMap((service) =>
      pods.filter(({ pod }) =>
        selects((service.spec?.selector ?? {}) as Record<string, string>, pod.metadata.labels),
      ),
    );
  });
  assert.deepEqual(
    endpoints.map(({ name }) => name).sort(),
    Object.keys(workloads)
      .map((name) => `Deployment bailiwick-${name}`)
      .sort(),
  );
});

const alertsIn = (objects: readonly Manifest[]) => {
  const rule = findObject(objects, 'PrometheusRule', 'bailiwick-alerts');
  return (rule.spec as unknown as { groups: Array<{ rules: Alert[] }> }).groups.flatMap(
    ({ rules }) => rules,
  );
};

test('every workload that should have pods has an alert for missing pods', {
  skip: chart.skip,
}, async () => {
  const missed = async (...set: string[]) => {
    const objects = await chart.render({ file: 'ci/monitored-values.yaml', set });
    return alertsIn(objects).flatMap(
      ({ alert, expr, labels: { workload }, annotations: { summary } }) => {
        if (alert !== 'BailiwickDown') return [];
        // Prometheus' operator labels each target with its container's name.
        const container = containerOf(podOf(objects, 'Deployment', workload ?? '')).name;
        assert.equal(
          expr,
          `absent(up{job="bailiwick",namespace="test",container="${container}"} == 1)`,
        );
        assert.ok(summary.includes(container));
        return [workload ?? ''];
      },
    );
  };
  assert.deepEqual((await missed()).sort(), Object.keys(workloads).sort());
  assert.deepEqual(await missed('mode=single'), ['gateway']);
  assert.ok(!(await missed('services.sso.replicas=0')).includes('sso'));
});

const ofVolumes = /^\{namespace="[^"]+",persistentvolumeclaim=~"[^"]+"\}$/;

test('the volumes that are named, and those of an evaluation, have an alert before NATS refuses messages', {
  skip: chart.skip,
}, async () => {
  const watched = async (file: string, ...set: string[]) => {
    const alerts = alertsIn(await chart.render({ file, set }));
    return alerts
      .filter(({ alert }) => alert === 'BailiwickVolumeFilling')
      .map(({ expr }) => {
        // Without a limit of its own, NATS takes three quarters of the free space.
        assert.ok(Number(/< (\S+)$/.exec(expr)?.[1]) > 0.25, expr);
        return [...new Set(expr.match(/\{[^}]*\}/g))].join();
      });
  };
  assert.deepEqual(await watched('ci/monitored-values.yaml'), [
    '{namespace="nats",persistentvolumeclaim=~"nats-js-.*"}',
  ]);
  const on = ['alerts.enabled=true', 'monitors.enabled=true'];
  assert.deepEqual(await watched('evaluation', ...on), [
    '{namespace="test",persistentvolumeclaim=~"bailiwick-(postgres|nats)"}',
  ]);
  assert.deepEqual(await watched('evaluation', ...on, 'nats.url=nats://nats:4222'), [
    '{namespace="test",persistentvolumeclaim=~"bailiwick-(postgres)"}',
  ]);
  assert.deepEqual(await watched('evaluation', ...on, 'evaluation.persistence=false'), []);
});

test('alerts query existing metrics of this installation, and link to a section of the runbooks', {
  skip: chart.skip,
}, async () => {
  const alerts = alertsIn(await chart.render({ file: 'ci/monitored-values.yaml' }));
  assert.ok(alerts.length >= 10);
  const documented = new Set(
    read('docs/observability.md')
      .match(/`bailiwick_\w+`/g)
      ?.map((name) => name.slice(1, -1)),
  );
  const sections = [...read('docs/runbooks.md').matchAll(/^## (\w+)$/gm)].map(
    ([, name = '']) => name,
  );
  for (const { alert, expr, labels, annotations } of alerts) {
    const metrics = (expr.match(/bailiwick_\w+/g) ?? []).map((name) =>
      name.replace(/_(bucket|count|sum)$/, ''),
    );
    for (const name of metrics) assert.ok(documented.has(name), `${alert}: ${name}`);
    for (const [, metric = '', selector = ''] of expr.matchAll(/(\w+)(\{[^}]*\})/g))
      assert.match(
        selector,
        metric.startsWith('kubelet_') ? ofVolumes : /^\{job="bailiwick",namespace="test"/,
        alert,
      );
    assert.doesNotMatch(expr, /\$/);
    assert.ok(
      ['critical', 'warning'].includes(labels['severity'] ?? '') && labels['team'] === 'identity',
      alert,
    );
    assert.match(annotations.summary, /\.$/);
    assert.equal(annotations.runbook_url, `https://example.com/runbooks#${alert.toLowerCase()}`);
  }
  assert.deepEqual([...new Set(alerts.map(({ alert }) => alert))].sort(), sections.sort());
  // These alerts ignore operations that only the delivery worker calls.
  for (const name of ['BailiwickErrors', 'BailiwickSlow']) {
    const { expr } = alerts.find(({ alert }) => alert === name) ?? assert.fail(name);
    const selectors = expr.match(/operation(?:s_total|_seconds_\w+)\{[^}]*\}/g) ?? [];
    assert.ok(selectors.length > 0);
    for (const selector of selectors) {
      const excluded = new RegExp(`^(?:${/operation!~"([^"]+)"/.exec(selector)?.[1]})$`);
      for (const one of operations.values())
        assert.equal(excluded.test(one.name), one.credential === 'worker', one.name);
    }
  }
});

test('alerts have no link if the runbooks are not published', { skip: chart.skip }, async () => {
  const text = JSON.stringify(
    findObject(
      await chart.render({
        file: 'minimal',
        set: ['alerts.enabled=true', 'monitors.enabled=true'],
      }),
      'PrometheusRule',
      'bailiwick-alerts',
    ),
  );
  assert.match(text, /"summary":/);
  assert.doesNotMatch(text, /runbook_url/);
});

test('every workload gets the collector in OpenTelemetry’s own variables, with its headers from a Secret', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({ file: 'ci/monitored-values.yaml' });
  for (const name of Object.keys(workloads)) {
    const env = containerOf(podOf(objects, 'Deployment', name)).env ?? [];
    const valueOf = (variable: string) => env.find((one) => one.name === variable);
    assert.equal(valueOf('OTEL_EXPORTER_OTLP_ENDPOINT')?.value, 'http://collector.monitoring:4318');
    assert.equal(valueOf('OTEL_EXPORTER_OTLP_PROTOCOL')?.value, 'http/protobuf');
    assert.equal(valueOf('OTEL_TRACES_SAMPLER_ARG')?.value, '0.1');
    assert.deepEqual(valueOf('OTEL_EXPORTER_OTLP_HEADERS')?.valueFrom?.secretKeyRef, {
      name: 'collector',
      key: 'headers',
    });
    const names = env.map((one) => one.name);
    assert.ok(
      names.indexOf('POD_NAME') < names.indexOf('OTEL_RESOURCE_ATTRIBUTES'),
      'Kubernetes expands only variables that are defined earlier',
    );
  }
  assert.ok(
    !(
      containerOf(podOf(await chart.render({ file: 'minimal' }), 'Deployment', 'access')).env ?? []
    ).some(({ name }) => name.startsWith('OTEL_')),
  );
});
