import { type Caller, operationOf } from '@bailiwick/contract';
import { type ErrorCode, httpStatus } from '@bailiwick/errors';
import { counter, inSpan, isFromElsewhere, type SpanOptions, timing } from '@bailiwick/process';
import type { DescMethodUnary } from '@bufbuild/protobuf';
import { SpanKind } from '@opentelemetry/api';

// Metrics and spans of calls, on the client and the server side.

/** The full name of an rpc, as in its path. */
export const rpcName = (method: DescMethodUnary): string =>
  `${method.parent.typeName}/${method.name}`;

const rpcSeconds = timing<{ service: string }>({
  name: 'bailiwick_rpc_seconds',
  about: 'Time of a call to another service as its caller sees it, network included.',
});

type Outgoing = { service: string; method: DescMethodUnary; system: 'connectrpc' | 'grpc' };

/** Wraps a call to another service in a span and measures it, for any transport. */
export function callOut<T>(
  { service, method, system }: Outgoing,
  call: () => Promise<T>,
): Promise<T> {
  const attributes = {
    'rpc.system.name': system,
    'rpc.method': rpcName(method),
    'bailiwick.service': service,
  };
  return inSpan(rpcName(method), { kind: SpanKind.CLIENT, attributes }, () => timed(service, call));
}

/** Measures a call within the process, for which the server span is enough. */
export async function timed<T>(service: string, call: () => Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await call();
  } finally {
    rpcSeconds.record((performance.now() - started) / 1000, { service });
  }
}

/** Options of the server span of an rpc. */
export function answerSpan(
  method: DescMethodUnary,
  caller: Pick<Caller, 'requestId'>,
): SpanOptions {
  const attributes = {
    'rpc.method': rpcName(method),
    'bailiwick.operation': operationOf(method).name,
    'bailiwick.request_id': caller.requestId,
  };
  return { kind: isFromElsewhere() ? SpanKind.SERVER : SpanKind.INTERNAL, attributes };
}

// Time is measured by operation, results by operation and HTTP status, and codes alone: a series
// for each operation, code and bucket made scrapes of megabytes.

const operationSeconds = timing<{ operation: string }>(
  {
    name: 'bailiwick_operation_seconds',
    about:
      'Time of an operation. Counted once: by the gateway if a client called it, by the service if another service or the queue did.',
  },
  [0.01, 0.1, 1, 5],
);

const operations = counter<{ operation: string; status: string }>({
  name: 'bailiwick_operations_total',
  about: 'Operations by the HTTP status of their response. Counted where their time is measured.',
});

const answers = counter<{ code: string }>({
  name: 'bailiwick_answers_total',
  about: 'Responses of all operations by their code; ok for a success.',
});

/** Counts an operation with its duration and its code. */
export function countOperation(operation: string, code: ErrorCode | 'ok', seconds: number): void {
  operationSeconds.record(seconds, { operation });
  operations.add({ operation, status: String(code === 'ok' ? 200 : httpStatus[code]) });
  answers.add({ code });
}

/** Whether this process counts the call, because no gateway does. */
export const isCountedHere = (caller: Caller): boolean => caller.type === 'service';
