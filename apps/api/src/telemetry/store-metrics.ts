import type { ConnectionFigures, StoreObserver } from '@plant-store/store-kit';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Creates the metrics of the store. Metrics that an engine does not report have no value. */
export function storeMetrics(registry: Registry): StoreObserver {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });

  let waitingAdds = () => 0;
  gauge('plant_store_waiting_adds', 'Queue length: plants waiting for a commit.', () => waitingAdds());
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
    gauge('plant_store_connections_max', 'Maximum connections in the pool.', () => figures().max);
    const pending = 'Requests waiting for a connection from the pool.';
    gauge('plant_store_connections_pending', pending, () => figures().pending);
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
