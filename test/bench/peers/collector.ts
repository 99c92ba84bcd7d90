import { startCollector } from '../../telemetry/collector.ts';
import { serveBench } from '../peer.ts';

// In a process of its own: what a collector does with spans is not our cost.

const { environment } = await startCollector();
serveBench({ url: environment.OTEL_EXPORTER_OTLP_ENDPOINT });
