import { operationOf } from '@bailiwick/proto/registry.ts';
import type { DescMethodUnary } from '@bufbuild/protobuf';
import { SpanKind } from '@opentelemetry/api';
import { type Caller, queueWorker } from './caller.ts';
import { type ErrorCode, httpStatus } from './errors.ts';
import { counter, timing } from './metrics.ts';
import { inSpan, isFromElsewhere, type SpanOptions } from './trace.ts';

// What is measured of a call, by the one who makes it and by the one who answers.

/** An rpc's full name, as in its path. */
export const rpcName = (method: DescMethodUnary): string =>
  `${method.parent.typeName}/${method.name}`;

const rpcSeconds = timing<{ service: string }>({
  name: 'bailiwick_rpc_seconds',
  about:
    'Time of a call to another service, as its caller sees it: the way there and back included.',
});

type Outgoing = { service: string; method: DescMethodUnary; system: 'connectrpc' | 'grpc' };

/** Makes a call to another service, over whatever transport. */
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

/** The same within a process, where the answering side's span says it all. */
export async function timed<T>(service: string, call: () => Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await call();
  } finally {
    rpcSeconds.record((performance.now() - started) / 1000, { service });
  }
}

/** The span of an rpc that is answered here. */
export function answerSpan(method: DescMethodUnary, caller: Caller): SpanOptions {
  const attributes = {
    'rpc.method': rpcName(method),
    'bailiwick.operation': operationOf(method).name,
    'bailiwick.request_id': caller.requestId,
  };
  return { kind: isFromElsewhere() ? SpanKind.SERVER : SpanKind.INTERNAL, attributes };
}

// A series for each operation, code and bucket made pages of megabytes. The time is by operation, the result by operation and
// HTTP status, and the code by itself.

const operationSeconds = timing<{ operation: string }>(
  {
    name: 'bailiwick_operation_seconds',
    about:
      'Time of an operation. Counted once: by the gateway where a client called it, by the service where a service or the queue did.',
  },
  [0.01, 0.05, 0.25, 1, 5],
);

const operations = counter<{ operation: string; status: string }>({
  name: 'bailiwick_operations_total',
  about: 'Operations by the HTTP status of their answer. Counted where their time is.',
});

const answers = counter<{ code: string }>({
  name: 'bailiwick_answers_total',
  about: 'Answers of all operations by their code; ok for a success.',
});

/** Counts an operation that took so long, by its code. */
export function countOperation(operation: string, code: ErrorCode | 'ok', seconds: number): void {
  operationSeconds.record(seconds, { operation });
  operations.add({ operation, status: String(code === 'ok' ? 200 : httpStatus[code]) });
  answers.add({ code });
}

/** Whether no gateway counts this call. */
export const isCountedHere = (caller: Caller): boolean =>
  caller.type === 'service' || caller.id === queueWorker;
