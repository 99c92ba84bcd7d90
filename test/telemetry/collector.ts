import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A collector in memory: accepts OTLP over HTTP and keeps all of it. The processes send its JSON
// form (OTLP's protobuf as proto3 JSON, with ids in hexadecimal), so that nothing needs decoding.

type AttributeValue = {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
};
type KeyValue = { key: string; value: AttributeValue };
type RawSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: KeyValue[];
  links?: Array<{ traceId: string; spanId: string }>;
  status?: { code?: number };
};
type Resource = { attributes?: KeyValue[] };
type TraceExport = {
  resourceSpans?: Array<{ resource?: Resource; scopeSpans?: Array<{ spans?: RawSpan[] }> }>;
};
type MetricExport = {
  resourceMetrics?: Array<{
    resource?: Resource;
    scopeMetrics?: Array<{ metrics?: Array<{ name: string }> }>;
  }>;
};

export type Attributes = Record<string, string | number | boolean | undefined>;
export type CollectedSpan = Omit<RawSpan, 'attributes'> & {
  service: string;
  attributes: Attributes;
};

/** OTLP's numbers of the span kinds. */
export const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const;

export type Collector = Awaited<ReturnType<typeof startCollector>>;

export async function startCollector() {
  const bodies: string[] = [];
  const contentTypes = new Set<string>();
  const spans: CollectedSpan[] = [];
  const metrics = new Map<string, Set<string>>();

  const takers: Record<string, (body: unknown) => void> = {
    '/v1/traces': (body) => spans.push(...spansOf(body as TraceExport)),
    '/v1/metrics': (body) => {
      for (const { service, name } of metricsOf(body as MetricExport))
        metrics.set(service, (metrics.get(service) ?? new Set()).add(name));
    },
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      bodies.push(body);
      contentTypes.add(`${request.url} ${request.headers['content-type']}`);
      if (request.headers['content-type'] === 'application/json')
        takers[request.url ?? '']?.(JSON.parse(body));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    spans,
    /** The names of the metrics by service. */
    metrics,
    contentTypes,
    /** All received bodies, unchanged. */
    text: () => bodies.join('\n'),
    /** The environment of a process that sends everything here, with short intervals. */
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_TRACES_SAMPLER: 'always_on',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_METRIC_EXPORT_INTERVAL: '500',
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function spansOf({ resourceSpans = [] }: TraceExport): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) => {
    const service = String(attributesOf(resource?.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans = [] }) =>
      spans.map((span) => ({ ...span, service, attributes: attributesOf(span.attributes) })),
    );
  });
}

function metricsOf({
  resourceMetrics = [],
}: MetricExport): Array<{ service: string; name: string }> {
  return resourceMetrics.flatMap(({ resource, scopeMetrics = [] }) => {
    const service = String(attributesOf(resource?.attributes)['service.name']);
    return scopeMetrics.flatMap(({ metrics = [] }) =>
      metrics.map(({ name }) => ({ service, name })),
    );
  });
}

function attributesOf(list: readonly KeyValue[] = []): Attributes {
  return Object.fromEntries(
    list.map(({ key, value }) => [
      key,
      value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue,
    ]),
  );
}
