import cluster from 'node:cluster';
import type { RequestObserver } from '@plant-store/adapters-http';
import type { StoreObserver } from '@plant-store/store-kit';
import { isOtlpOn } from '../config/index.ts';
import { createMetrics } from './metrics.ts';
import type { OnWarning } from './otlp.ts';
import { metricsOfAllWorkers } from './worker-metrics.ts';

/** Metrics and traces. */
export interface Telemetry {
  readonly requests: RequestObserver;
  readonly store: StoreObserver;
  /** The metrics of all workers, in Prometheus' text format. */
  readonly metricsText: () => Promise<string>;
  /** Exports what is left, for at most two seconds. Does not throw. */
  close(): Promise<void>;
}

/** The environment variable with the name of a worker, from 1; a restarted worker keeps it. */
export const WORKER_NAME = 'PLANT_STORE_WORKER';

/**
 * Starts the metrics and, if the standard `OTEL_*` variables enable it, the export over OTLP. Otherwise OpenTelemetry is not
 * even loaded.
 *
 * @param droppedLogLines the number of lines that the log has dropped.
 * @throws {ConfigError} if an `OTEL_*` variable is invalid or unsupported.
 */
export async function openTelemetry(
  environment: NodeJS.ProcessEnv,
  onWarning: OnWarning,
  droppedLogLines: () => number,
): Promise<Telemetry> {
  const worker = cluster.isWorker ? environment[WORKER_NAME] : undefined;
  const { registry, requests, store } = createMetrics(worker, droppedLogLines);
  const metricsText = cluster.isWorker ? metricsOfAllWorkers(registry) : () => registry.metrics();
  if (!isOtlpOn(environment)) return { requests, store, metricsText, close: async () => {} };
  const { openOtlp } = await import('./otlp.ts');
  const { startSpan, close } = openOtlp(environment, registry, onWarning);
  return { requests: startSpan ? { ...requests, startSpan } : requests, store, metricsText, close };
}
