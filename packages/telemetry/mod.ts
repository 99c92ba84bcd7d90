export { everySecond } from './every-second.ts';
export { measureLag } from './lag.ts';
export { createLog, describe, type Log } from './log.ts';
export { counter, gauge, level, type Reading, startMetrics, timing } from './metrics.ts';
export { measureProcess } from './runtime-metrics.ts';
export { countSignIn } from './sign-ins.ts';
export { startTelemetry } from './telemetry.ts';
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
} from './trace.ts';
