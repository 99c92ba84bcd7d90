import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, startStack } from '../support/harness.ts';
import { mailTo, newAddress, register } from '../support/people.ts';

test('an unreachable collector only causes one log line a minute, and shutdown stays in time', async () => {
  const stack = await startStack('one process', {
    // Nothing listens on port 9.
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_TRACES_SAMPLER: 'always_on',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    OTEL_METRIC_EXPORT_INTERVAL: '100',
  });
  let stopped = false;
  const stop = async () => {
    if (!stopped) await stack.stop();
    stopped = true;
  };
  try {
    const complaints = () =>
      stack.logOf('gateway').match(/"message":"the telemetry SDK reported a problem"/g) ?? [];
    const address = newAddress();
    await register(stack, address);
    await mailTo(stack, address);
    await eventually('a complaint', async () => complaints().length > 0, 30_000);
    for (let call = 0; call < 20; call++)
      assert.equal((await stack.call('Account_Get', {})).status, 401);
    assert.equal(complaints().length, 1);
    const started = performance.now();
    await stop();
    assert.ok(performance.now() - started < 15_000);
  } finally {
    await stop();
  }
});
