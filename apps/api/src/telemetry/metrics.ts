import type { StoreObserver } from '@plant-store/group-commit';
import { collectDefaultMetrics, Registry } from 'prom-client';
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
 */
export function createMetrics(worker: string | undefined): Metrics {
  const registry = new Registry();
  if (worker !== undefined) registry.setDefaultLabels({ worker });
  collectDefaultMetrics({ register: registry });
  // Gauges named like counters. The sums of those with a label `type` are the same.
  for (const what of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${what}_total`);
  return { registry, requests: requestMetrics(registry), store: storeMetrics(registry) };
}
