export { createAdminServer } from './admin-server.ts';
export { errorCatalogue } from './operations/operations.ts';
export { createHttpServer, type HttpServerOptions } from './server.ts';
