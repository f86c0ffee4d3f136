import type { RequestObserver } from '@plant-store/adapters-http';
import type { UseCases } from '@plant-store/domain';
import type { StoreObserver } from '@plant-store/store-kit';
import { createMetrics } from './metrics.ts';

/** Metrics and traces. */
export interface Telemetry {
  readonly requests: RequestObserver;
  readonly store: StoreObserver;
  /** Adds the spans of commits to the traces of requests. */
  readonly traced: (useCases: UseCases) => UseCases;
  /** The metrics, in Prometheus' text format. */
  readonly metricsText: () => Promise<string>;
  /** Exports the spans that are left, for at most two seconds. Does not throw. */
  close(): Promise<void>;
}

/** Any of these starts OpenTelemetry's SDK, which reads its variables itself. */
const destinations = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_TRACES_EXPORTER'];

/**
 * Starts the metrics and, if the environment names a destination for spans, OpenTelemetry's SDK. Otherwise the SDK is not even
 * loaded.
 *
 * @param onWarning called with a message that needs no immediate action.
 * @param droppedLogLines the number of lines that the log has dropped.
 */
export async function openTelemetry(
  environment: NodeJS.ProcessEnv,
  onWarning: (message: string) => void,
  droppedLogLines: () => number,
): Promise<Telemetry> {
  const { registry, requests, store } = createMetrics(droppedLogLines);
  const metrics = { requests, store, metricsText: () => registry.metrics() };
  const untraced = { ...metrics, traced: (useCases: UseCases) => useCases, close: async () => {} };
  if (!destinations.some((name) => environment[name])) return untraced;
  const { startTracing } = await import('./tracing.ts');
  const { spans, close } = startTracing(onWarning);
  if (!spans) return { ...untraced, close };
  const wrote: StoreObserver['wrote'] = (...write) => {
    store.wrote(...write);
    spans.wrote(...write);
  };
  const { startSpan, traced } = spans;
  return { ...metrics, requests: { ...requests, startSpan }, store: { ...store, wrote }, traced, close };
}
