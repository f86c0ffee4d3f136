// For the tables of the documents (tools/documents) and for checks of the manifests (deploy).

export { defaultOf, metadataOf, settings } from './config/index.ts';
export { SHUTDOWN_MS } from './serve/index.ts';
export { storageAdapters } from './stores/index.ts';
export { createMetrics } from './telemetry/index.ts';
