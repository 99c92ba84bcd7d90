import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@bailiwick/contract';
import { type ErrorCode, httpStatus } from '@bailiwick/errors';
import { counter, gauge, level, measureProcess, startMetrics, timing } from '@bailiwick/process';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { countOperation } from './calls.ts';

const reader = new PrometheusExporter({ preventServerStart: true });

async function scrape(): Promise<string[]> {
  const { resourceMetrics } = await reader.collect();
  const text = new PrometheusSerializer('', false, undefined, true, true).serialize(
    resourceMetrics,
  );
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

test('metrics count from the start of the meter, wherever they were declared', async () => {
  const early = counter({ name: 'early_total', about: '' }, {});
  early.add({});
  startMetrics(new MeterProvider({ readers: [reader] }).getMeter('test'));
  const late = counter<{ lane: string }>({ name: 'late_total', about: '' });
  const counted = async () => (await scrape()).filter((line) => /^(early|late)_total/.test(line));
  assert.deepEqual(await counted(), ['early_total 0']);
  early.add({});
  late.add({ lane: 'email' });
  assert.deepEqual(await counted(), ['early_total 1', 'late_total{lane="email"} 1']);
});

test('a level goes up and down, and a timing counts in its buckets', async () => {
  const inHand = level<{ lane: string }>({ name: 'in_hand', about: '' });
  inHand.change(1, { lane: 'a' });
  inHand.change(1, { lane: 'a' });
  inHand.change(-1, { lane: 'a' });
  const took = timing({ name: 'took_seconds', about: '' }, [0.1, 1]);
  took.record(0.5, {});
  const lines = await scrape();
  for (const line of [
    'in_hand{lane="a"} 1',
    'took_seconds_sum 0.5',
    'took_seconds_bucket{le="0.1"} 0',
    'took_seconds_bucket{le="1"} 1',
  ])
    assert.ok(lines.includes(line), line);
});

test('a gauge reads all its sources, and reports NaN for one that fails or times out', async () => {
  const lag = gauge<{ service: string }>({ name: 'lag_seconds', about: '' });
  const lagging = async () => (await scrape()).filter((line) => line.startsWith('lag_seconds'));
  let away: 'no' | 'fails' | 'hangs' = 'no';
  lag.from(() => [{ value: 1, labels: { service: 'identity' } }]);
  lag.from(async () => {
    if (away === 'fails') throw new Error('the database is away');
    if (away === 'hangs') await new Promise(() => {});
    return [{ value: 2, labels: { service: 'access' } }];
  });
  assert.deepEqual(await lagging(), [
    'lag_seconds{service="identity"} 1',
    'lag_seconds{service="access"} 2',
  ]);
  for (away of ['fails', 'hangs'] as const)
    assert.deepEqual(await lagging(), [
      'lag_seconds{service="identity"} 1',
      'lag_seconds{service="access"} NaN',
    ]);
  away = 'no';
  assert.deepEqual(await lagging(), [
    'lag_seconds{service="identity"} 1',
    'lag_seconds{service="access"} 2',
  ]);
});

test('the metrics page of a gateway stays below 220 KB after every operation returned every code', async () => {
  for (const { name, public: isPublic } of operations.values()) {
    if (!isPublic) continue;
    for (const code of ['ok', ...(Object.keys(httpStatus) as ErrorCode[])] as const)
      for (const seconds of [0.001, 0.1, 10]) countOperation(name, code, seconds);
  }
  measureProcess();
  const { resourceMetrics } = await reader.collect();
  const page = new PrometheusSerializer('', false, undefined, true, true).serialize(
    resourceMetrics,
  );
  assert.match(page, /bailiwick_operations_total\{operation="Groups_Save",status="429"\} 3/);
  assert.ok(page.length < 220_000, `${page.length} bytes`);
});
