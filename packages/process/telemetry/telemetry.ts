import type { IncomingMessage, ServerResponse } from 'node:http';
import process from 'node:process';
import { context, DiagLogLevel, diag, metrics } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import type { IMetricReader } from '@opentelemetry/sdk-metrics';
import { deferred } from '../deferred.ts';
import packageJson from '../package.json' with { type: 'json' };
import type { Log } from './log.ts';
import { beginMetrics, startMetrics } from './metrics.ts';
import { measureProcess } from './runtime-metrics.ts';

type Environment = Readonly<Record<string, string | undefined>>;

// Starts the configured parts of OpenTelemetry, and loads only those: sdk-node alone takes a
// quarter of a second and 6 MB of a process. Configured by the standard OTEL_ variables only
// (docs/observability.md).

export type Telemetry = {
  /** Answers GET /metrics; undefined if metrics are not scraped. */
  metrics: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined;
  /** Exports the remaining spans and metrics. */
  stop(): Promise<void>;
};

/** The enabled signals and exporters. */
export type TelemetryPlan = { traces: boolean; prometheus: boolean; otlpMetrics: boolean };

/**
 * Spans and pushed metrics need an endpoint or an explicit exporter; /metrics is on unless it is
 * switched off.
 */
export function planTelemetry(environment: Environment): TelemetryPlan {
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true')
    return { traces: false, prometheus: false, otlpMetrics: false };
  const exporters = (signal: string) => listOf(environment[`OTEL_${signal}_EXPORTER`]);
  const hasEndpoint = (signal: string) =>
    [
      environment['OTEL_EXPORTER_OTLP_ENDPOINT'],
      environment[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`],
    ].some((url) => url !== undefined && url !== '');
  const [spans, numbers] = [exporters('TRACES'), exporters('METRICS')];
  return {
    traces: spans.length > 0 ? !spans.includes('none') : hasEndpoint('TRACES'),
    prometheus: numbers.length > 0 ? numbers.includes('prometheus') : true,
    otlpMetrics: numbers.length > 0 ? numbers.includes('otlp') : hasEndpoint('METRICS'),
  };
}

const listOf = (text = ''): string[] => text.split(',').flatMap((entry) => entry.trim() || []);

/**
 * Starts the telemetry of a process. Trace ids are passed between processes even if nothing is
 * recorded.
 */
export async function startTelemetry(
  name: string,
  log: Log,
  environment: Environment = process.env,
): Promise<Telemetry> {
  const plan = planTelemetry(environment);
  const contextManager = new AsyncLocalStorageContextManager();
  if (!plan.traces) context.setGlobalContextManager(contextManager);
  if (!plan.traces && !plan.prometheus && !plan.otlpMetrics)
    return { metrics: undefined, stop: async () => {} };

  reportTo(log);
  if (plan.prometheus && !plan.traces && !plan.otlpMetrics) return startScraped(name);
  const prometheus = plan.prometheus ? await createPrometheus() : undefined;
  const readers: IMetricReader[] = [
    ...(prometheus ? [prometheus] : []),
    ...(plan.otlpMetrics ? [await createPush(environment)] : []),
  ];
  const stop = plan.traces
    ? await startSdk(name, environment, { readers, contextManager })
    : await startMeters(name, readers);
  if (readers.length > 0) {
    startMetrics(metrics.getMeter('bailiwick'));
    measureProcess();
  }
  return {
    metrics:
      prometheus &&
      (async (request, response) => prometheus.getMetricsRequestHandler(request, response)),
    stop: () => within(stopLimitMs, stop()),
  };
}

/** Metrics that are only scraped: their SDK is loaded with the first scrape, or once the process is ready. */
function startScraped(name: string): Telemetry {
  let stop = async (): Promise<void> => {};
  beginMetrics();
  measureProcess();
  const load = deferred(async () => {
    const prometheus = await createPrometheus();
    stop = await startMeters(name, [prometheus]);
    startMetrics(metrics.getMeter('bailiwick'));
    return prometheus;
  });
  return {
    metrics: async (request, response) =>
      (await load()).getMetricsRequestHandler(request, response),
    stop: () => within(stopLimitMs, stop()),
  };
}

type Deps = { readers: IMetricReader[]; contextManager: AsyncLocalStorageContextManager };

/**
 * One request in a hundred is recorded by default. For the cost see row G9 of docs/performance.md.
 */
const sampling = {
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0.01',
};

async function startSdk(
  name: string,
  environment: Environment,
  { readers, contextManager }: Deps,
): Promise<() => Promise<void>> {
  // The SDK itself reads its exporter, sampler and limits from the environment.
  for (const [variable, value] of Object.entries(sampling))
    process.env[variable] = environment[variable] || value;
  // Logs go to standard output, where the platform collects them.
  process.env['OTEL_LOGS_EXPORTER'] ??= 'none';
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const { envDetector, serviceInstanceIdDetector } = await import('@opentelemetry/resources');
  const sdk = new NodeSDK({
    contextManager,
    metricReaders: readers,
    instrumentations: [],
    resource: await resourceOf(name),
    // Not the stock detectors, which would export the command line and the host's user name.
    resourceDetectors: [envDetector, serviceInstanceIdDetector],
  });
  sdk.start();
  return () => sdk.shutdown();
}

/** Starts metrics alone, without loading the rest of the SDK, which is most of it. */
async function startMeters(name: string, readers: IMetricReader[]): Promise<() => Promise<void>> {
  const { MeterProvider } = await import('@opentelemetry/sdk-metrics');
  const { detectResources, envDetector, serviceInstanceIdDetector } = await import(
    '@opentelemetry/resources'
  );
  const resource = (await resourceOf(name)).merge(
    detectResources({ detectors: [envDetector, serviceInstanceIdDetector] }),
  );
  const provider = new MeterProvider({ resource, readers });
  metrics.setGlobalMeterProvider(provider);
  return () => provider.shutdown();
}

async function resourceOf(name: string) {
  const { defaultResource, resourceFromAttributes } = await import('@opentelemetry/resources');
  const service = name === 'bailiwick' ? name : `bailiwick-${name}`;
  return defaultResource().merge(
    resourceFromAttributes({ 'service.name': service, 'service.version': packageJson.version }),
  );
}

async function createPrometheus() {
  const { PrometheusExporter } = await import('@opentelemetry/exporter-prometheus');
  // Served on the admin port instead of its own. Scope info would add a label to every line.
  return new PrometheusExporter({ preventServerStart: true, withoutScopeInfo: true });
}

const pushExporters = {
  'http/protobuf': () => import('@opentelemetry/exporter-metrics-otlp-proto'),
  'http/json': () => import('@opentelemetry/exporter-metrics-otlp-http'),
  grpc: () => import('@opentelemetry/exporter-metrics-otlp-grpc'),
} as const;

// sdk-node creates this reader itself only if there is no custom reader.
async function createPush(environment: Environment): Promise<IMetricReader> {
  const protocol =
    environment['OTEL_EXPORTER_OTLP_METRICS_PROTOCOL'] ??
    environment['OTEL_EXPORTER_OTLP_PROTOCOL'] ??
    '';
  const load = Object.hasOwn(pushExporters, protocol)
    ? pushExporters[protocol as keyof typeof pushExporters]
    : pushExporters['http/protobuf'];
  const { OTLPMetricExporter } = await load();
  const { PeriodicExportingMetricReader } = await import('@opentelemetry/sdk-metrics');
  const exportIntervalMillis = Number(environment['OTEL_METRIC_EXPORT_INTERVAL']) || 60_000;
  const exportTimeoutMillis = Math.min(
    Number(environment['OTEL_METRIC_EXPORT_TIMEOUT']) || 30_000,
    exportIntervalMillis,
  );
  return new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(),
    exportIntervalMillis,
    exportTimeoutMillis,
  });
}

/** An unreachable collector must not delay the shutdown. */
const stopLimitMs = 3000;

async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work.catch(() => {}), late]);
  clearTimeout(timer);
}

/**
 * Logs problems of the SDK at most once a minute: an unreachable collector fails every few seconds.
 */
function reportTo(log: Log): void {
  let silentUntil = 0;
  const report = (message: string, ...more: unknown[]): void => {
    if (Date.now() < silentUntil) return;
    silentUntil = Date.now() + 60_000;
    log.warn('the telemetry SDK reported a problem', {
      problem: [message, ...more]
        .map((part) => (part instanceof Error ? part.message : String(part)))
        .join(' ')
        .slice(0, 500),
    });
  };
  const silent = (): void => {};
  diag.setLogger(
    { error: report, warn: report, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN },
  );
}
