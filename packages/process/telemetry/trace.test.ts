import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { invalid, unavailable } from '@bailiwick/errors';
import { type Attributes, context, type Span, type Tracer, trace } from '@opentelemetry/api';
import { createLog } from './log.ts';
import { startTelemetry } from './telemetry.ts';
import {
  continueTrace,
  currentTraceId,
  currentTraceparent,
  inSpan,
  inTrace,
  linksTo,
  outsideTraces,
} from './trace.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const recorded = `00-${traceId}-b7ad6b7169203331-01`;
const unrecorded = `00-${traceId}-b7ad6b7169203331-00`;

type Started = {
  name: string;
  parent: string;
  attributes: Attributes;
  failed: boolean;
  ended: boolean;
};
const started: Started[] = [];

/** Replaces the SDK and records the started spans. */
const tracer: Pick<Tracer, 'startSpan'> = {
  startSpan(name, options, parent = context.active()) {
    const of = trace.getSpanContext(parent);
    const noted: Started = {
      name,
      parent: of?.spanId ?? '',
      attributes: { ...options?.attributes },
      failed: false,
      ended: false,
    };
    started.push(noted);
    const spanContext = {
      traceId: of?.traceId ?? '1'.repeat(32),
      spanId: String(started.length).padStart(16, '0'),
      traceFlags: 1,
    };
    return {
      spanContext: () => spanContext,
      setAttribute: (key: string, value: string) => (noted.attributes[key] = value),
      setStatus: () => (noted.failed = true),
      end: () => (noted.ended = true),
    } as unknown as Span;
  },
};
const nothing = () => Promise.resolve();

before(() =>
  startTelemetry(
    'test',
    createLog('test', () => {}),
    { OTEL_SDK_DISABLED: 'true' },
  ),
);

test('without the SDK each request has its own unrecorded trace', async () => {
  const [one, other] = [
    await inTrace('', 'request', {}, async () => currentTraceparent()),
    await inTrace('', 'request', {}, async () => currentTraceparent()),
  ];
  for (const header of [one, other]) assert.match(header, /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  assert.notEqual(one, other);
  assert.equal(currentTraceparent(), '');
});

test('without the SDK a trace is passed on unchanged', async () => {
  assert.equal(await inTrace(recorded, 'process', {}, async () => currentTraceparent()), recorded);
  assert.equal(
    continueTrace(recorded, () => currentTraceparent()),
    recorded,
  );
});

for (const header of [
  '',
  'nonsense',
  recorded.toUpperCase(),
  `ff-${traceId}-b7ad6b7169203331-01`,
  `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `${recorded}x`,
]) {
  test(`an invalid traceparent is ignored: "${header}"`, async () => {
    assert.deepEqual(linksTo(header), []);
    assert.equal(
      continueTrace(header, () => currentTraceparent()),
      '',
    );
    assert.notEqual(await inTrace(header, 'request', {}, async () => currentTraceId()), traceId);
  });
}

test('the known part of a traceparent of a later version is read', () => {
  assert.equal(
    continueTrace(`01-${traceId}-b7ad6b7169203331-01-more`, () => currentTraceId()),
    traceId,
  );
});

test('outsideTraces runs work in no trace', () => {
  assert.equal(
    continueTrace(recorded, () => outsideTraces(() => currentTraceparent())),
    '',
  );
});

test('a log line carries the trace that it was written in', () => {
  const lines: string[] = [];
  const log = createLog('test', (line) => lines.push(line));
  continueTrace(unrecorded, () => log.info('inside', { requestId: 'r' }));
  log.info('outside');
  assert.equal((JSON.parse(lines[0] ?? '') as { traceId: string }).traceId, traceId);
  assert.ok(!('traceId' in (JSON.parse(lines[1] ?? '') as object)));
});

test('spans are created only in recorded traces', async () => {
  trace.setGlobalTracerProvider({ getTracer: () => tracer as Tracer });
  await continueTrace(unrecorded, () => inSpan('unrecorded', {}, nothing));
  await inSpan('alone', {}, nothing);
  assert.deepEqual(started, []);
  await inTrace(recorded, 'outer', { attributes: { a: 1 } }, () => inSpan('inner', {}, nothing));
  assert.deepEqual(started.splice(0), [
    { name: 'outer', parent: 'b7ad6b7169203331', attributes: { a: 1 }, failed: false, ended: true },
    { name: 'inner', parent: '0000000000000001', attributes: {}, failed: false, ended: true },
  ]);
});

test('a span records a failure by its code and never by its text, and a client error does not mark the span as failed', async () => {
  const fail = (error: Error) =>
    inTrace(recorded, 'work', {}, async () => {
      throw error;
    });
  await assert.rejects(fail(invalid('Email must be ada@example.com')));
  await assert.rejects(fail(unavailable()));
  await assert.rejects(fail(new Error("insert into user_account values ('ada@example.com')")));
  assert.deepEqual(
    started.splice(0).map(({ attributes, failed, ended }) => ({ ...attributes, failed, ended })),
    [
      { 'error.type': 'invalid_argument', failed: false, ended: true },
      { 'error.type': 'unavailable', failed: true, ended: true },
      { 'error.type': 'internal', failed: true, ended: true },
    ],
  );
});
