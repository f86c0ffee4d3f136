// What the documents list of the service (tools/documents), and what manifests have to leave room for (deploy).

export { jwtVariables } from './config/jwt-settings.ts';
export { otlpVariables } from './config/otlp-settings.ts';
export type { Setting, Settings } from './config/setting.ts';
export { settings } from './config/settings.ts';
export { defaultOf } from './config/settings-text.ts';
export { SHUTDOWN_MS } from './serve/signals.ts';
export { createMetrics } from './telemetry/metrics.ts';
