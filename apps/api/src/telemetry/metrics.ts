import type { StoreObserver } from '@plant-store/store-kit';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type RequestMetrics, requestMetrics } from './request-metrics.ts';
import { storeMetrics } from './store-metrics.ts';

/** The metrics of the service and their registry. */
export interface Metrics {
  readonly registry: Registry;
  readonly requests: RequestMetrics;
  readonly store: StoreObserver;
  /** Sets whether the service is ready. Before the first call it is not. */
  readonly setReady: (isReady: boolean) => void;
}

/**
 * Creates the metrics of the service, including those of Node and the operating system. The documents list them.
 *
 * @param droppedLogLines the number of lines that the log has dropped.
 */
export function createMetrics(droppedLogLines: () => number = () => 0): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Counter({
    name: 'plant_store_log_lines_dropped_total',
    help: 'Log lines dropped because the log was not read in time, or could not be written.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLogLines());
    },
  });
  const ready = new Gauge({
    name: 'plant_store_ready',
    help: '1 if the service was ready at its latest check, else 0.',
    registers: [registry],
  });
  const setReady = (isReady: boolean) => ready.set(Number(isReady));
  return { registry, requests: requestMetrics(registry), store: storeMetrics(registry), setReady };
}
