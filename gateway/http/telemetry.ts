import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, toServiceError } from '@bailiwick/errors';
import { inTrace, linksTo, traceparentHeader } from '@bailiwick/process';
import { countOperation } from '@bailiwick/wire';
import { type Span, SpanKind } from '@opentelemetry/api';

/**
 * Runs a request in a new trace. A client that controls the trace could have every request recorded
 * at our cost, or mix other requests into one trace; its traceparent becomes a link. Behind a proxy
 * that starts the traces itself and drops foreign ones (BAILIWICK_TRUST_TRACEPARENT), the request
 * continues the proxy's trace.
 */
export function traceRequest(
  request: IncomingMessage,
  response: ServerResponse,
  trusted: boolean,
  work: (span: Span) => Promise<void>,
): Promise<void> {
  const header = request.headers[traceparentHeader];
  const traceparent = typeof header === 'string' ? header : undefined;
  // Node's parser accepts a fixed list of methods. Paths are arbitrary, so a span gets its route
  // (nameRequest) or none.
  const method = request.method ?? '';
  const options = {
    kind: SpanKind.SERVER,
    attributes: { 'http.request.method': method },
    links: trusted ? [] : linksTo(traceparent),
  };
  return inTrace(trusted ? traceparent : undefined, method, options, async (span) => {
    await work(span);
    span.setAttribute('http.response.status_code', response.statusCode);
  });
}

/** Names the span after the request's route. */
export function nameRequest(span: Span, request: IncomingMessage, route: string): void {
  if (!span.isRecording()) return;
  span.updateName(`${request.method} ${route}`);
  span.setAttribute('http.route', route);
}

/** Runs an operation and counts it by its result. */
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
