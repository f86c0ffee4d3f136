export { type AdminServerOptions, createAdminServer } from './admin-server.ts';
export { type ErrorKind, HttpError } from './errors.ts';
export { listenOptions } from './node-server.ts';
export { errorCatalogue } from './operations.ts';
export { createHttpServer, type HttpServerOptions } from './server.ts';
export type { RequestObserver, RequestSpan } from './telemetry.ts';
