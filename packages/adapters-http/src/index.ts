export { type AdminServerOptions, createAdminServer } from './admin-server.ts';
export { errorCatalogue, HttpError } from './errors.ts';
export { listenOptions } from './listeners.ts';
export { createHttpServer, type HttpServerOptions } from './server.ts';
export type { RequestObserver, RequestSpan } from './telemetry.ts';
