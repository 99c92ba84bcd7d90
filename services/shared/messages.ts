import { type Span, SpanKind } from '@opentelemetry/api';
import { counter } from './metrics.ts';
import { currentTraceparent, inSpan, inTrace, traceparentHeader } from './trace.ts';

// What is told of a message, by the one who publishes it and by the one who handles it. The handling is a part of the trace
// that the message came from: each message is handled by itself (OpenTelemetry's conventions for messaging).

export const publishDuplicates = counter(
  {
    name: 'bailiwick_delivery_publish_duplicates_total',
    about:
      'Messages that the broker had already, and dropped: what was published again after a fault.',
  },
  {},
);

const system = { 'messaging.system': 'nats' } as const;

/** Publishes a message. `send` gets the headers that carry the trace to whoever handles it. */
export function publishing<T>(
  subject: string,
  id: string,
  send: (headers: Record<string, string>) => Promise<T>,
): Promise<T> {
  // Subjects name tenants and endpoints: a span names the stream.
  const stream = subject.slice(0, subject.indexOf('.')).toUpperCase();
  const attributes = {
    ...system,
    'messaging.operation.name': 'publish',
    'messaging.operation.type': 'send',
    'messaging.destination.name': stream,
    'messaging.message.id': id,
  };
  return inSpan(`publish ${stream}`, { kind: SpanKind.PRODUCER, attributes }, () => {
    const traceparent = currentTraceparent();
    return send(traceparent === '' ? {} : { [traceparentHeader]: traceparent });
  });
}

type Handled = {
  stream: string;
  durable: string;
  traceparent: string | undefined;
  deliveries: number;
};

/** Handles a message that a consumer was handed. */
export function handling(message: Handled, work: (span: Span) => Promise<void>): Promise<void> {
  const { stream, durable, traceparent, deliveries } = message;
  const attributes = {
    ...system,
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': stream,
    'messaging.consumer.group.name': durable,
    'bailiwick.deliveries': deliveries,
  };
  return inTrace(traceparent, `process ${stream}`, { kind: SpanKind.CONSUMER, attributes }, work);
}
