import { operationOf } from '@bailiwick/proto/registry.ts';
import type { DescMethodUnary } from '@bufbuild/protobuf';
import { SpanKind } from '@opentelemetry/api';
import { type Caller, queueWorker } from './caller.ts';
import { timing } from './metrics.ts';
import { inSpan, isFromElsewhere, type SpanOptions } from './trace.ts';

// What is measured of a call, by the one who makes it and by the one who answers.

/** An rpc's full name, as in its path. */
export const rpcName = (method: DescMethodUnary): string =>
  `${method.parent.typeName}/${method.name}`;

const rpcSeconds = timing<{ service: string; method: string }>({
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
  return inSpan(rpcName(method), { kind: SpanKind.CLIENT, attributes }, () =>
    timed(service, method, call),
  );
}

/** The same within a process, where the answering side's span says it all. */
export async function timed<T>(
  service: string,
  method: DescMethodUnary,
  call: () => Promise<T>,
): Promise<T> {
  const started = performance.now();
  try {
    return await call();
  } finally {
    rpcSeconds.record((performance.now() - started) / 1000, {
      service,
      method: `${method.parent.name}/${method.name}`,
    });
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

export const operationSeconds = timing<{ operation: string; code: string }>({
  name: 'bailiwick_operation_seconds',
  about:
    'Time of an operation, by its code. Counted once: by the gateway where a client called it, by the service where a service or the queue did.',
});

/** Whether no gateway counts this call. */
export const isCountedHere = (caller: Caller): boolean =>
  caller.type === 'service' || caller.id === queueWorker;
