import { randomBytes } from 'node:crypto';
import { type ErrorCode, toServiceError } from '@bailiwick/errors';
import {
  type Attributes,
  context,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  isValidSpanId,
  isValidTraceId,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';

// Spans are created by hand: instrumenting the libraries cost 41 % of the throughput. Every request
// has a trace id, recorded or not: without the SDK (telemetry.ts) it is still in the logs, the
// audit and every message, but no spans are created. Only the gateway decides whether a trace is
// recorded. All other processes follow the flag that travels with it, so an unrecorded call costs
// them only the header.

// The API's no-op tracer until the SDK is started, then the SDK's.
const tracer = trace.getTracer('bailiwick');
const noSpan = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/**
 * The header that carries the trace of a message or an rpc (W3C Trace Context). `tracestate` is not
 * passed on.
 */
export const traceparentHeader = 'traceparent';

/** The kind, attributes and links of a span. */
export type SpanOptions = { kind?: SpanKind; attributes?: Attributes; links?: Link[] };

type Work<T> = (span: Span) => Promise<T>;

/** Runs `work` in a new span if its trace is recorded. An error marks the span as failed. */
export function inSpan<T>(name: string, options: SpanOptions, work: Work<T>): Promise<T> {
  const parent = trace.getSpanContext(context.active());
  if (!parent || (parent.traceFlags & TraceFlags.SAMPLED) === 0) return work(noSpan);
  const span = tracer.startSpan(name, options);
  return runIn(span, work);
}

/** Starts a trace, or continues the one of `parent` (a traceparent), with a span around `work`. */
export function inTrace<T>(
  parent: string | undefined,
  name: string,
  options: SpanOptions,
  work: Work<T>,
): Promise<T> {
  const remote = readTraceparent(parent);
  if (remote)
    return context.with(trace.setSpanContext(ROOT_CONTEXT, remote), () =>
      inSpan(name, options, work),
    );
  const root = tracer.startSpan(name, options, ROOT_CONTEXT);
  return runIn(
    isSpanContextValid(root.spanContext()) ? root : trace.wrapSpanContext(unrecorded()),
    work,
    ROOT_CONTEXT,
  );
}

/** Runs `work` in the trace of a traceparent without a span; without a traceparent, in no trace. */
export function continueTrace<T>(parent: string | undefined, work: () => T): T {
  const remote = readTraceparent(parent);
  return context.with(remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT, work);
}

/** Runs work that serves several traces outside of all of them. */
export const outsideTraces = <T>(work: () => T): T => context.with(ROOT_CONTEXT, work);

/** The current trace as a traceparent; '' outside of any. */
export function currentTraceparent(): string {
  const current = trace.getSpanContext(context.active());
  if (!current) return '';
  return `00-${current.traceId}-${current.spanId}-${(current.traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0')}`;
}

/** The id of the current trace; '' outside of any. */
export const currentTraceId = (): string => trace.getSpanContext(context.active())?.traceId ?? '';

/** Whether the current trace came from another process. */
export const isFromElsewhere = (): boolean =>
  trace.getSpanContext(context.active())?.isRemote === true;

/**
 * A link to the span of a traceparent, for spans that relate to a trace without belonging to it.
 */
export function linksTo(traceparent: string | undefined): Link[] {
  const remote = readTraceparent(traceparent);
  return remote ? [{ context: remote }] : [];
}

async function runIn<T>(span: Span, work: Work<T>, base = context.active()): Promise<T> {
  try {
    return await context.with(trace.setSpan(base, span), () => work(span));
  } catch (error) {
    markFailed(span, toServiceError(error).code);
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Records a failure by its code only. Texts stay in the log: a driver's text may quote values. A
 * client's error does not mark the span as failed.
 */
export function markFailed(span: Span, code: ErrorCode | (string & {})): void {
  span.setAttribute('error.type', code);
  if (code === 'internal' || code === 'unavailable') span.setStatus({ code: SpanStatusCode.ERROR });
}

const form = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

function readTraceparent(text: string | undefined): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = form.exec(text ?? '') ?? [];
  if (!isValidTraceId(traceId) || !isValidSpanId(spanId)) return undefined;
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
  };
}

const idBytes = 4096;
let randomDigits = '';
let used = 0;

/** Random hexadecimal digits. Made many at a time: one call of the generator serves 85 requests. */
function takeDigits(count: number): string {
  if (used + count > randomDigits.length) {
    randomDigits = randomBytes(idBytes).toString('hex');
    used = 0;
  }
  used += count;
  return randomDigits.slice(used - count, used);
}

function unrecorded(): SpanContext {
  return { traceId: takeDigits(32), spanId: takeDigits(16), traceFlags: TraceFlags.NONE };
}
