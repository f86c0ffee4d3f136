import cluster from 'node:cluster';
import type { RequestObserver } from '@plant-store/adapters-http';
import type { StoreObserver } from '@plant-store/group-commit';
import { isOtlpOn } from '../config/otlp-settings.ts';
import { metricsOfAllWorkers } from './all-workers.ts';
import { createMetrics } from './metrics.ts';
import type { OnWarning } from './otlp.ts';

/** What can be seen of the service from outside, beside its log. */
export interface Telemetry {
  readonly requests: RequestObserver;
  readonly store: StoreObserver;
  /** The metrics of the whole service, in Prometheus' text format. */
  readonly metricsText: () => Promise<string>;
  /** Sends what was not sent yet. Takes two seconds at the most, and does not throw. */
  close(): Promise<void>;
}

/** The environment variable that names a worker, 1 and upwards; its successor has the same name. */
export const WORKER_NAME = 'PLANT_STORE_WORKER';

/**
 * Starts measuring, and exporting over OTLP where the standard `OTEL_*` variables say so: OpenTelemetry is not even loaded
 * otherwise.
 *
 * @throws {ConfigError} when an `OTEL_*` variable asks for what this service cannot do.
 */
export async function openTelemetry(environment: NodeJS.ProcessEnv, onWarning: OnWarning): Promise<Telemetry> {
  const { registry, requests, store } = createMetrics(cluster.isWorker ? environment[WORKER_NAME] : undefined);
  const metricsText = cluster.isWorker ? metricsOfAllWorkers(registry) : () => registry.metrics();
  if (!isOtlpOn(environment)) return { requests, store, metricsText, close: async () => {} };
  const { openOtlp } = await import('./otlp.ts');
  const { startSpan, close } = openOtlp(environment, registry, onWarning);
  return { requests: startSpan ? { ...requests, startSpan } : requests, store, metricsText, close };
}
