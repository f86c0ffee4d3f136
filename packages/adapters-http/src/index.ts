import { commonErrors, type ErrorKind } from './errors.ts';
import { plantErrors } from './plants.ts';

export { type AdminServerOptions, createAdminServer } from './admin-server.ts';
export { type ErrorKind, HttpError } from './errors.ts';
export { createHttpServer, type HttpServerOptions } from './server.ts';
export type { RequestObserver } from './telemetry.ts';

/** The kinds of errors that a client can get, by number. */
export const errorCatalogue: readonly ErrorKind[] = [commonErrors, plantErrors]
  .flatMap((kinds) => Object.values<ErrorKind>(kinds))
  .toSorted((one, other) => one.error - other.error);
