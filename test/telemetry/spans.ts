import assert from 'node:assert/strict';
import { eventually } from '../support/harness.ts';
import { type CollectedSpan, type Collector, kinds } from './collector.ts';

/** An expected span, by the attributes that identify it in its trace. */
export type ExpectedSpan = { service: string; name: string; kind: number; group?: string };

export const isExpected = (
  span: CollectedSpan,
  { service, name, kind, group }: ExpectedSpan,
): boolean =>
  span.service === service &&
  span.name === name &&
  span.kind === kind &&
  (!group || span.attributes['messaging.consumer.group.name'] === group);

/** The spans of the trace that began with this one, once it is complete. */
export async function traceOf(
  collector: Collector,
  name: string,
  complete: (spans: CollectedSpan[]) => boolean,
): Promise<CollectedSpan[]> {
  return eventually(`the trace of ${name}`, async () => {
    const root = collector.spans.find((span) => span.name === name && span.kind === kinds.server);
    const spans = collector.spans.filter((span) => root && span.traceId === root.traceId);
    // A span is sent when it ends, so inner spans arrive first.
    const isWhole = spans.every(
      ({ parentSpanId }) => !parentSpanId || spans.some(({ spanId }) => spanId === parentSpanId),
    );
    return isWhole && complete(spans) && spans;
  });
}

/** The spans from a span up to the root. */
export function lineage(spans: readonly CollectedSpan[], leaf: CollectedSpan): CollectedSpan[] {
  const parent = spans.find(({ spanId }) => spanId === leaf.parentSpanId);
  return parent ? [...lineage(spans, parent), leaf] : [leaf];
}

export function assertLineage(
  spans: readonly CollectedSpan[],
  leaf: CollectedSpan,
  expectedSpans: readonly ExpectedSpan[],
): void {
  const met = lineage(spans, leaf);
  const names = met.map(({ service, name, kind }) => `${service} ${name} ${kind}`);
  assert.deepEqual(
    names,
    expectedSpans.map(({ service, name, kind }) => `${service} ${name} ${kind}`),
  );
  for (const [index, span] of met.entries()) {
    const expected = expectedSpans[index];
    assert.ok(expected && isExpected(span, expected), `${span.name} is not of ${expected?.group}`);
    assert.ok(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano), span.name);
  }
}
