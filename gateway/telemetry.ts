import type { IncomingMessage, ServerResponse } from 'node:http';
import { countOperation } from '@bailiwick/shared/calls.ts';
import { type ErrorCode, toServiceError } from '@bailiwick/shared/errors.ts';
import { inTrace, linksTo, traceparentHeader } from '@bailiwick/shared/trace.ts';
import { type Span, SpanKind } from '@opentelemetry/api';

/**
 * Runs a request in a trace of its own. Who calls from outside could otherwise have every request recorded at our cost, or
 * mix foreign requests into one trace; what it says of its trace is a link. Behind a proxy that begins the traces itself and
 * lets none through (BAILIWICK_TRUST_TRACEPARENT), the request is a part of that trace.
 */
export function traceRequest(
  request: IncomingMessage,
  response: ServerResponse,
  trusted: boolean,
  work: (span: Span) => Promise<void>,
): Promise<void> {
  const header = request.headers[traceparentHeader];
  const foreign = typeof header === 'string' ? header : undefined;
  // Node's parser knows a fixed list of methods. A path can be anything, so a span gets its route (nameRequest) or none.
  const method = request.method ?? '';
  const options = {
    kind: SpanKind.SERVER,
    attributes: { 'http.request.method': method },
    links: trusted ? [] : linksTo(foreign),
  };
  return inTrace(trusted ? foreign : undefined, method, options, async (span) => {
    await work(span);
    span.setAttribute('http.response.status_code', response.statusCode);
  });
}

/** Names the span after what the request is for. */
export function nameRequest(span: Span, request: IncomingMessage, route: string): void {
  if (!span.isRecording()) return;
  span.updateName(`${request.method} ${route}`);
  span.setAttribute('http.route', route);
}

/** Runs an operation, and counts it by what comes of it. */
export async function measureOperation(
  operation: string,
  work: () => Promise<void>,
): Promise<void> {
  const started = performance.now();
  let code: ErrorCode | 'ok' = 'ok';
  try {
    await work();
  } catch (error) {
    code = toServiceError(error).code;
    throw error;
  } finally {
    countOperation(operation, code, (performance.now() - started) / 1000);
  }
}
