import type { ConnectionFigures, StoreObserver } from '@plant-store/store-kit';
import { Counter, Gauge, type Registry } from 'prom-client';
import { type Series, SeriesHistogram } from './series-histogram.ts';

/** The metrics of the store. Those that an engine does not report have no value. */
export function storeMetrics(registry: Registry): StoreObserver {
  const registers = [registry];
  let waitingAdds = () => 0;
  let connections: (() => ConnectionFigures) | undefined;
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });

  gauge('plant_store_waiting_adds', 'Queue length: plants waiting for a commit.', () => waitingAdds());
  const plants = new SeriesHistogram({
    name: 'plant_store_write_plants',
    help: 'Plants per commit.',
    labelNames: ['outcome'] as const,
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    registers,
  });
  const duration = new SeriesHistogram({
    name: 'plant_store_write_duration_seconds',
    help: 'Duration of commits, including retries.',
    labelNames: ['outcome'] as const,
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  });
  const writes: { [outcome: string]: { readonly plants: Series; readonly duration: Series } } = {};
  const retries = new Counter({
    name: 'plant_store_retries_total',
    help: 'Commits retried after a transient failure.',
    registers,
  });
  new Gauge({
    name: 'plant_store_connections',
    help: 'Open connections in the pool.',
    labelNames: ['state'] as const,
    registers,
    collect() {
      const figures = connections?.();
      if (!figures) return;
      this.set({ state: 'used' }, figures.used);
      this.set({ state: 'idle' }, figures.idle);
    },
  });
  // A gauge without labels is 0 until it is set. Without a pool these two must not exist.
  const poolGauges = (figures: () => ConnectionFigures) => {
    gauge('plant_store_connections_max', 'Maximum connections in the pool.', () => figures().max);
    const pending = 'Requests waiting for a connection from the pool.';
    gauge('plant_store_connections_pending', pending, () => figures().pending);
  };
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

  return {
    watchWaiting(count) {
      waitingAdds = count;
    },
    wrote(end, count, seconds) {
      const outcome = end === 'done' ? 'stored' : 'failed';
      writes[outcome] ??= { plants: plants.series({ outcome }), duration: duration.series({ outcome }) };
      writes[outcome].plants.observe(count);
      writes[outcome].duration.observe(seconds);
    },
    watchConnections(figures) {
      if (!connections) poolGauges(figures);
      connections = figures;
    },
    retried: () => retries.inc(),
    circuit(state) {
      circuitOpen.set(state === 'open' ? 1 : 0);
      if (state === 'open') openings.inc();
    },
  };
}
