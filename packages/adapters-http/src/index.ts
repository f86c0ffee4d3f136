export { createAdminServer } from './admin-server.ts';
export { type ErrorKind, errorCatalogue } from './errors/catalogue.ts';
export { createHttpServer } from './server.ts';
export type { HttpServerOptions } from './server-options.ts';
