import type { RequestObserver } from '@plant-store/adapters-http';
import type { StoreObserver } from '@plant-store/store-kit';
import { createMetrics, type Metrics } from './metrics.ts';
import type { Spans } from './spans.ts';

/** The metrics and traces of the service. */
export interface Telemetry extends Pick<Metrics, 'setReady'> {
  readonly requests: RequestObserver;
  readonly store: StoreObserver;
  /** The metrics, in Prometheus' text format. */
  readonly metricsText: () => Promise<string>;
  /** Exports the remaining spans, for at most two seconds. Does not throw. */
  close(): Promise<void>;
}

/** Variables that enable OpenTelemetry's SDK, which reads them itself. */
const destinations = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_TRACES_EXPORTER'];

/**
 * Starts the metrics and, if the environment names a destination for spans, OpenTelemetry's SDK. Otherwise the SDK is not
 * loaded.
 *
 * @param onWarning called with a warning for the log.
 * @param droppedLogLines the number of lines that the log has dropped.
 */
export async function openTelemetry(
  environment: NodeJS.ProcessEnv,
  onWarning: (message: string) => void,
  droppedLogLines: () => number,
): Promise<Telemetry> {
  const { registry, requests, store, setReady } = createMetrics(droppedLogLines);
  const metrics = { requests, store, setReady, metricsText: () => registry.metrics() };
  const untraced = { ...metrics, close: async () => {} };
  if (!destinations.some((name) => environment[name])) return untraced;
  const { startTracing } = await import('./tracing.ts');
  const { spans, close } = startTracing(onWarning);
  if (!spans) return { ...untraced, close };
  const wrote: Spans['wrote'] = (...write) => {
    store.wrote(...write);
    spans.wrote(...write);
  };
  const { startSpan, context } = spans;
  return { ...metrics, requests: { ...requests, startSpan }, store: { ...store, context, wrote }, close };
}
