import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually, type Stack, startStack } from '../support/harness.ts';
import { type Collector, startCollector } from './collector.ts';
import { travel } from './journey.ts';
import { lineage, traceOf } from './spans.ts';
import { linesOf, testTraces, traceId } from './traces.ts';

testTraces('five processes');

describe('traces (one process)', () => {
  let collector: Collector;
  let stack: Stack;
  before(async () => {
    collector = await startCollector();
    stack = await startStack('one process', {
      ...collector.environment,
      BAILIWICK_TRUST_TRACEPARENT: 'true',
    });
    await travel(stack);
  });
  after(async () => {
    await stack?.stop();
    await collector.stop();
  });

  test('Groups_Save is one trace here too', async () => {
    const spans = await traceOf(collector, 'POST /Groups_Save', (list) =>
      list.some(({ name }) => name === 'POST webhook'),
    );
    const leaf = spans.find(({ name }) => name === 'POST webhook') ?? assert.fail();
    const names = lineage(spans, leaf).map(({ name, kind }) => `${name} ${kind}`);
    assert.deepEqual(names, [
      'POST /Groups_Save 2',
      'bailiwick.access.v1.Groups/Save 1',
      'transaction 3',
      'publish EVT 4',
      'process EVT 5',
      'publish TASK 4',
      'process TASK 5',
      'bailiwick.notifications.v1.Webhooks/Deliver 1',
      'POST webhook 3',
    ]);
    assert.ok(spans.every(({ service }) => service === 'bailiwick'));
  });

  test('with a trusted proxy, a request is part of the proxy’s trace and follows its sampling decision', async () => {
    const call = (operation: string, traceparent: string) =>
      stack.call(operation, {}, stack.platformKey, { traceparent });
    const silent = traceId.replace('0af', '1bf');
    await call('Roles_List', `00-${silent}-b7ad6b7169203331-00`);
    await call('Audit_List', `00-${traceId}-b7ad6b7169203331-01`);
    const root = await eventually('the span', async () =>
      collector.spans.find(({ name }) => name === 'POST /Audit_List'),
    );
    assert.deepEqual([root.traceId, root.parentSpanId], [traceId, 'b7ad6b7169203331']);
    assert.ok(!collector.spans.some(({ name }) => name === 'POST /Roles_List'));
    await eventually('the line', async () =>
      linesOf(stack, 'gateway').some((line) => line.traceId === silent),
    );
  });
});
