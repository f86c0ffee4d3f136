export { type AdminServerOptions, createAdminServer } from './admin-server.ts';
export { drain } from './draining.ts';
export { type CatalogueEntry, errorCatalogue, type FailureKind, statusOf } from './error-catalogue.ts';
export { createHttpServer, type HttpServerOptions } from './http-server.ts';
