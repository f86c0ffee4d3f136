import { Counter, type Registry } from 'prom-client';

/** The metric of the log. */
export function logMetrics(registry: Registry, droppedLines: () => number): void {
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
