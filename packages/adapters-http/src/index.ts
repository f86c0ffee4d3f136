export { type AdminServerOptions, createAdminServer } from './admin-server.ts';
export { type CatalogueEntry, type ErrorKind, errorCatalogue } from './errors/catalogue.ts';
export { HttpError } from './errors/http-error.ts';
export { createHttpServer } from './server.ts';
export type { HttpServerOptions } from './server-options.ts';
