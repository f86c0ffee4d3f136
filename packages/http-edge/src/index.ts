export { type AdminServerOptions, createAdminServer } from './admin-server.ts';
export type { JsonBodies } from './body/json-bodies.ts';
export { requireJson } from './body/media-type.ts';
export { createEdge, type Edge, type EdgeOptions } from './edge.ts';
export type { EdgeSettings } from './edge-settings.ts';
export {
  type CatalogueEntry,
  type EdgeErrorKind,
  type ErrorCatalogue,
  type ErrorRecords,
  errorRecords,
  statusOf,
} from './errors/error-records.ts';
export { bodyTooLarge, fromFastify, HttpError, retryLater } from './errors/http-error.ts';
export { notFound } from './errors/not-found.ts';
export { parserError } from './errors/parser-errors.ts';
export type { Acceptor } from './exchange/closing.ts';
export { drain } from './exchange/draining.ts';
export { type Exchange, exchangeOf } from './exchange/exchange.ts';
export type { RequestSpan, TraceContext } from './exchange/trace-context.ts';
export { type Representation, representation, serveRepresentation } from './reply/representation.ts';
export { sendContent, sendJson, sendRedirect } from './reply/send.ts';
export type { CompletedRequest, LogRequest } from './telemetry/access-log.ts';
export type { RequestObserver, TracedRequest } from './telemetry/request-observer.ts';
