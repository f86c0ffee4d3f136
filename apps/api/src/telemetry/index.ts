export { createMetrics } from './metrics.ts';
export { openTelemetry, WORKER_NAME } from './telemetry.ts';
export { collectWorkerMetrics } from './worker-metrics.ts';
