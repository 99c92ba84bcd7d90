export type { Material } from './certificates.ts';
export { hopAgent, unprocessedHeader } from './connections.ts';
export { deferred, loadDeferred } from './deferred.ts';
export { type DiskSpace, isLow, readDiskSpace } from './disk-space.ts';
export { createCollector, shareOfHeap } from './heap.ts';
export {
  endWith,
  type HttpHandler,
  type HttpOptions,
  type Listener,
  listenHttp,
  type Upgrade,
} from './listen-http.ts';
export { createReadiness, problemOf, type Readiness, readyText } from './readiness.ts';
export { endRefused, type Running, runProcess } from './run.ts';
export {
  type BrandImage,
  type BrandSettings,
  brandSettings,
  pageBrandSettings,
  readBrandImage,
} from './settings/brand.ts';
export {
  atLeast,
  ConfigurationError,
  type Environment,
  type Mounted,
  namesOf,
  oneOf,
  readSettings,
  readText,
  type Setting,
  type Settings,
  type SettingTable,
} from './settings/config.ts';
export {
  allowedOriginsSettings,
  installationSettings,
  limitSettings,
  listenSettings,
  publicUrlSettings,
  returnSettings,
  tlsSettings,
} from './settings/shared.ts';
export { watchMounted } from './settings/watch.ts';
export { createLog, describe, type Log } from './telemetry/log.ts';
export { counter, gauge, level, type Reading, startMetrics, timing } from './telemetry/metrics.ts';
export { measureProcess } from './telemetry/runtime-metrics.ts';
export { countSignIn } from './telemetry/sign-ins.ts';
export { startTelemetry } from './telemetry/telemetry.ts';
export {
  continueTrace,
  currentTraceId,
  currentTraceparent,
  inSpan,
  inTrace,
  isFromElsewhere,
  linksTo,
  markFailed,
  outsideTraces,
  type SpanOptions,
  traceparentHeader,
} from './telemetry/trace.ts';
export { followTls, openTls, serverOptions, type Tls, tlsConnector } from './tls.ts';
