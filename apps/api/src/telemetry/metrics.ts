import type { RequestObserver } from '@plant-store/adapters-http';
import type { ConnectionFigures, StoreObserver } from '@plant-store/store-kit';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

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

/** The methods of a RequestObserver that metrics need. */
type RequestMetrics = Pick<RequestObserver, 'completed' | 'watch'>;

/** Creates the metrics of requests, by OpenTelemetry's semantic conventions for HTTP servers. */
function requestMetrics(registry: Registry): RequestMetrics {
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
      if (seconds === undefined) malformed.inc({ http_response_status_code: status });
      else {
        const labels = { http_request_method: method, http_response_status_code: status };
        duration.observe(route === undefined ? labels : { ...labels, http_route: route }, seconds);
      }
    },
    watch(requestsInFlight) {
      gauge(registry, 'http_server_active_requests', 'Number of HTTP server requests in flight.', requestsInFlight);
    },
  };
}

/** Creates the metrics of the store. Metrics that an engine does not report have no value. */
function storeMetrics(registry: Registry): StoreObserver {
  const registers = [registry];
  let waitingAdds = () => 0;
  gauge(registry, 'plant_store_waiting_adds', 'Queue length: plants waiting for a commit.', () => waitingAdds());
  const plants = new Histogram({
    name: 'plant_store_write_plants',
    help: 'Plants per commit.',
    labelNames: ['outcome'],
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    registers,
  });
  const duration = new Histogram({
    name: 'plant_store_write_duration_seconds',
    help: 'Duration of commits, including retries.',
    labelNames: ['outcome'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  });
  const retries = new Counter({
    name: 'plant_store_retries_total',
    help: 'Commits retried after a transient failure.',
    registers,
  });
  const circuitOpen = new Gauge({
    name: 'plant_store_circuit_open',
    help: '1 while the circuit breaker is open and rejects writes, else 0.',
    registers,
  });
  const openings = new Counter({
    name: 'plant_store_circuit_openings_total',
    help: 'Times the circuit breaker has tripped.',
    registers,
  });
  let connections: (() => ConnectionFigures) | undefined;
  let logBytes: Gauge | undefined;
  // Registered only for stores with a pool, because a gauge without labels starts at 0.
  const poolMetrics = (figures: () => ConnectionFigures) => {
    gauge(registry, 'plant_store_connections_max', 'Maximum connections in the pool.', () => figures().max);
    const pending = 'Requests waiting for a connection from the pool.';
    gauge(registry, 'plant_store_connections_pending', pending, () => figures().pending);
    new Gauge({
      name: 'plant_store_connections',
      help: 'Open connections in the pool.',
      labelNames: ['state'],
      registers,
      collect() {
        this.set({ state: 'used' }, figures().used);
        this.set({ state: 'idle' }, figures().idle);
      },
    });
  };

  return {
    watchWaiting(count) {
      waitingAdds = count;
    },
    wrote(end, count, seconds) {
      const outcome = end === 'done' ? 'stored' : 'failed';
      plants.observe({ outcome }, count);
      duration.observe({ outcome }, seconds);
    },
    watchConnections(figures) {
      // Registered once, although startup may open the store several times.
      if (!connections) poolMetrics(() => (connections ?? figures)());
      connections = figures;
    },
    logSize(bytes) {
      logBytes ??= new Gauge({
        name: 'plant_store_log_bytes',
        help: "Size of SQLite's write-ahead log.",
        registers,
      });
      logBytes.set(bytes);
    },
    retried: () => retries.inc(),
    circuit(state) {
      circuitOpen.set(state === 'open' ? 1 : 0);
      if (state === 'open') openings.inc();
    },
  };
}

function gauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
