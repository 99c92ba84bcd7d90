import {
  counter,
  currentTraceparent,
  inSpan,
  inTrace,
  traceparentHeader,
} from '@bailiwick/process';
import { type Span, SpanKind } from '@opentelemetry/api';

// Spans and metrics of messages, on the publisher's and the consumer's side. Each message is
// processed in the trace that it came from (OpenTelemetry's conventions for messaging).

export const publishDuplicates = counter(
  {
    name: 'bailiwick_delivery_publish_duplicates_total',
    about:
      'Messages that the broker dropped as duplicates, because they were published again after a fault.',
  },
  {},
);

const system = { 'messaging.system': 'nats' } as const;

/** Publishes a message in a span. `send` gets the headers that carry the trace to the consumer. */
export function publishing<T>(
  subject: string,
  id: string,
  send: (headers: Record<string, string>) => Promise<T>,
): Promise<T> {
  // Subjects contain tenants and endpoints, so the span names only the stream.
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

/** Handles a consumed message in a span. */
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
