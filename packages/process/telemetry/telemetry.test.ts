import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planTelemetry } from './telemetry.ts';

const off = { traces: false, prometheus: false, otlpMetrics: false };
const scraped = { ...off, prometheus: true };
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

const cases: ReadonlyArray<
  readonly [name: string, environment: Record<string, string>, plan: typeof off]
> = [
  ['nothing is configured', {}, scraped],
  ['variables are empty', { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_METRICS_EXPORTER: '' }, scraped],
  ['a collector is configured', endpoint, { traces: true, prometheus: true, otlpMetrics: true }],
  [
    'a collector is configured for traces only',
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' },
    { ...scraped, traces: true },
  ],
  [
    'a collector is configured for metrics only',
    { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://collector:4318/v1/metrics' },
    { ...scraped, otlpMetrics: true },
  ],
  [
    'metrics are scraped although a collector is configured',
    { ...endpoint, OTEL_METRICS_EXPORTER: 'prometheus' },
    { ...scraped, traces: true },
  ],
  [
    'metrics are pushed and not scraped',
    { ...endpoint, OTEL_METRICS_EXPORTER: 'otlp' },
    { ...off, traces: true, otlpMetrics: true },
  ],
  [
    'metrics are pushed and scraped',
    { OTEL_METRICS_EXPORTER: 'otlp, prometheus' },
    { ...scraped, otlpMetrics: true },
  ],
  [
    'metrics are disabled',
    { ...endpoint, OTEL_METRICS_EXPORTER: 'none' },
    { ...off, traces: true },
  ],
  [
    'traces are disabled',
    { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
    { ...scraped, otlpMetrics: true },
  ],
  ['traces go to the console', { OTEL_TRACES_EXPORTER: 'console' }, { ...scraped, traces: true }],
  ['the SDK is disabled', { ...endpoint, OTEL_SDK_DISABLED: 'true' }, off],
];

for (const [name, environment, plan] of cases)
  test(`planTelemetry if ${name}`, () => assert.deepEqual(planTelemetry(environment), plan));
