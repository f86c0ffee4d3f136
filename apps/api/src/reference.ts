// What the documents list of the service (tools/documents), and what manifests have to leave room for (deploy).

export { defaultOf } from './config-command/settings-text.ts';
export { jwtVariables } from './jwt-settings.ts';
export type { Setting, Settings } from './setting.ts';
export { settings } from './settings.ts';
export { SHUTDOWN_MS } from './signals.ts';
export { createMetrics } from './telemetry/metrics.ts';
export { otlpVariables } from './telemetry/otlp-settings.ts';
