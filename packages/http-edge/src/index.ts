export { bodyThatIsHere, type OnReceived, readBody } from './body/read-body.ts';
export { type Acceptor, closing } from './exchange/closing.ts';
export { CompactRequest, TOO_MANY_CHUNKS } from './exchange/compact-request.ts';
export { drain } from './exchange/draining.ts';
export {
  type Connection,
  connectionOf,
  type Exchange,
  type ExchangeLifecycle,
  exchangeOf,
} from './exchange/exchange.ts';
export { ignoreRest } from './exchange/ignore-rest.ts';
export { OrderedList } from './exchange/ordered-list.ts';
export { newRequestId, requestIdHeader } from './exchange/request-id.ts';
export type { RequestSpan, TraceContext } from './exchange/trace-context.ts';
export { limitSlowReaders } from './limits/slow-readers.ts';
export { spreadOverTurns } from './limits/turns.ts';
export { compressedOnce, type Representation, representation, serveRepresentation } from './reply/representation.ts';
export { sendContent, sendJson, sendRedirect } from './reply/send.ts';
export { noSchemaCompilers } from './runtime/no-schema-compilers.ts';
export { STATUS_CODES } from './runtime/node-http.ts';
export { type CompletedRequest, type LogRequest, logRequestsWith } from './telemetry/access-log.ts';
export type { RequestObserver, TracedRequest } from './telemetry/request-observer.ts';
export { requestTelemetry } from './telemetry/request-telemetry.ts';
