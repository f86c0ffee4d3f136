export { createMetrics } from './metrics.ts';
export { openTelemetry } from './telemetry.ts';
