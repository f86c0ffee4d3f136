export { type AdminServerOptions, createAdminServer } from './admin-server.ts';
export { drain } from './draining.ts';
export { type CatalogueEntry, errorCatalogue, type FailureKind, statusOf } from './error-catalogue.ts';
export { createHttpServer, type HttpServerOptions } from './http-server.ts';
export { parseJsonBody } from './json-body.ts';
export { readNewPlant } from './records.ts';
export { RequestFailure } from './request-failure.ts';
export type { RequestObserver, RequestSpan, TracedRequest } from './request-observer.ts';
export type { TraceContext } from './trace-context.ts';
