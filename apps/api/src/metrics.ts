import type { RequestObserver } from '@plant-store/adapters-http';
import { type ConnectionFigures, type StoreObserver, unobserved } from '@plant-store/store-kit';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics of the service and their registry. */
export interface Metrics {
  readonly registry: Registry;
  readonly requests: RequestObserver;
  /** Its `health` does nothing. */
  readonly store: StoreObserver;
}

/**
 * Creates the metrics of the service, including those of Node and the operating system. The documents list them.
 *
 * @param isReady whether the service is ready now.
 */
export function createMetrics(isReady: () => boolean): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const ready = '1 if the latest probe of the store passed and the service is not shutting down, else 0.';
  addGauge(registry, 'plant_store_ready', ready, () => Number(isReady()));
  return { registry, requests: requestMetrics(registry), store: storeMetrics(registry) };
}

/** Creates the metrics of requests, by OpenTelemetry's semantic conventions for HTTP servers. */
function requestMetrics(registry: Registry): RequestObserver {
  const registers = [registry];
  const duration = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of HTTP server requests, from the end of the request header to the end of the response.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    // The convention's buckets begin at 5 ms, but most requests here complete faster.
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const malformed = new Counter({
    name: 'http_server_responses_without_request_total',
    help: 'Responses sent without a request: malformed HTTP. Not timed.',
    labelNames: ['http_response_status_code'],
    registers,
  });
  // Starts at 0, so that the first response counts as an increase.
  malformed.inc({ http_response_status_code: 400 }, 0);

  return {
    completed(method, route, status, seconds) {
      if (seconds === undefined) return malformed.inc({ http_response_status_code: status });
      const labels = { http_request_method: method, http_response_status_code: status };
      duration.observe(route === undefined ? labels : { ...labels, http_route: route }, seconds);
    },
    watch: (count) =>
      addGauge(registry, 'http_server_active_requests', 'Number of HTTP server requests in flight.', count),
  };
}

/** Creates the metrics of the store. Those that an engine does not report have no value. */
function storeMetrics(registry: Registry): StoreObserver {
  const registers = [registry];
  let countWaiting = () => 0;
  const waiting = 'Plants that wait for a result, which DATABASE_MAX_QUEUE_LENGTH limits.';
  addGauge(registry, 'plant_store_waiting_adds', waiting, () => countWaiting());
  const plants = new Histogram({
    name: 'plant_store_write_plants',
    help: 'Plants per commit.',
    labelNames: ['outcome'],
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    registers,
  });
  const duration = new Histogram({
    name: 'plant_store_write_duration_seconds',
    help: 'Duration of commits. A commit that is tried again counts again.',
    labelNames: ['outcome'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  });
  const retries = new Counter({
    name: 'plant_store_retries_total',
    help: 'Times that plants were written again after a transient failure or a lock.',
    registers,
  });
  let connections: (() => ConnectionFigures) | undefined;

  return {
    ...unobserved,
    watchWaiting(count) {
      countWaiting = count;
    },
    wrote(end, count, seconds) {
      const outcome = end === 'done' ? 'stored' : 'failed';
      plants.observe({ outcome }, count);
      duration.observe({ outcome }, seconds);
    },
    watchConnections(figures) {
      // Registered only for stores with a pool, because a gauge starts at 0; and once, although startup may open the store several times.
      if (!connections) addPoolMetrics(registry, () => (connections ?? figures)());
      connections = figures;
    },
    retried: () => retries.inc(),
  };
}

function addPoolMetrics(registry: Registry, figures: () => ConnectionFigures): void {
  addGauge(registry, 'plant_store_connections_max', 'Maximum connections in the pool.', () => figures().max);
  const pending = 'Requests waiting for a connection from the pool.';
  addGauge(registry, 'plant_store_connections_pending', pending, () => figures().pending);
  new Gauge({
    name: 'plant_store_connections',
    help: 'Open connections in the pool.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'used' }, figures().used);
      this.set({ state: 'idle' }, figures().idle);
    },
  });
}

function addGauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
