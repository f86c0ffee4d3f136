import type { StoreObserver } from '@plant-store/store-kit';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import { type RequestMetrics, requestMetrics } from './request-metrics.ts';
import { storeMetrics } from './store-metrics.ts';

/** The metrics of this process. */
export interface Metrics {
  readonly registry: Registry;
  readonly requests: RequestMetrics;
  readonly store: StoreObserver;
}

/**
 * Creates the metrics of this process, including those of Node and the operating system. The documents list them.
 *
 * @param worker distinguishes the processes of one service, as the label `worker`.
 * @param droppedLogLines the number of lines that the log has dropped.
 */
export function createMetrics(worker: string | undefined, droppedLogLines: () => number = () => 0): Metrics {
  const registry = new Registry();
  if (worker !== undefined) registry.setDefaultLabels({ worker });
  collectDefaultMetrics({ register: registry });
  // Gauges named like counters. The sums of those with a label `type` are the same.
  for (const what of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${what}_total`);
  logMetrics(registry, droppedLogLines);
  return { registry, requests: requestMetrics(registry), store: storeMetrics(registry) };
}

/** The metric of the log. */
function logMetrics(registry: Registry, droppedLines: () => number): void {
  new Counter({
    name: 'plant_store_log_lines_dropped_total',
    help: 'Log lines dropped because the log was not read in time, or could not be written.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLines());
    },
  });
}
