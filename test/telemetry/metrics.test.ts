import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startStack } from '../support/harness.ts';
import { startCollector } from './collector.ts';
import { measured } from './metrics.ts';

describe('metrics (five processes)', () => void measured('five processes'));

test('telemetry uses protobuf by default, and metrics can be disabled', async () => {
  const collector = await startCollector();
  const { OTEL_EXPORTER_OTLP_ENDPOINT } = collector.environment;
  const stack = await startStack('one process', {
    OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_TRACES_SAMPLER_ARG: '1',
  });
  try {
    await stack.call('Roles_List', {});
    assert.equal(
      (await fetch(`http://127.0.0.1:${stack.wiring.ports.gateway.admin}/metrics`)).status,
      404,
    );
  } finally {
    // Shutdown sends the recorded values, regardless of the interval.
    await stack.stop();
    await collector.stop();
  }
  assert.deepEqual([...collector.contentTypes], ['/v1/traces application/x-protobuf']);
  assert.ok(collector.text().includes('Roles_List'));
});
