import { startCollector } from '@bailiwick/test/telemetry/collector.ts';
import { serveBench } from '../peer.ts';

// In a process of its own, so that the collector's work does not count as the product's.

const { environment } = await startCollector();
serveBench({ url: environment.OTEL_EXPORTER_OTLP_ENDPOINT });
