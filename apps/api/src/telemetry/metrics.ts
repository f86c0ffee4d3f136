import type { StoreObserver } from '@plant-store/group-commit';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { type RequestMetrics, requestMetrics } from './request-metrics.ts';
import { storeMetrics } from './store-metrics.ts';

/** What is measured of this process. */
export interface Metrics {
  readonly registry: Registry;
  readonly requests: RequestMetrics;
  readonly store: StoreObserver;
}

/**
 * Makes the metrics of this process, those of Node and the operating system included. docs/telemetry.md lists them.
 *
 * @param worker tells several processes of one service apart, as the label `worker`.
 */
export function createMetrics(worker: string | undefined): Metrics {
  const registry = new Registry();
  if (worker !== undefined) registry.setDefaultLabels({ worker });
  collectDefaultMetrics({ register: registry });
  // Gauges by the name of counters. The sum of those with a label `type` says the same.
  for (const what of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${what}_total`);
  return { registry, requests: requestMetrics(registry), store: storeMetrics(registry) };
}
