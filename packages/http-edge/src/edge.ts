import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type JsonBodies, jsonBodies } from './body/json-bodies.ts';
import { edgeLimits } from './edge-limits.ts';
import type { EdgeSettings } from './edge-settings.ts';
import { errorHandler } from './errors/error-handler.ts';
import { type ErrorCatalogue, errorRecords } from './errors/error-records.ts';
import type { HttpError } from './errors/http-error.ts';
import { notFoundOf } from './errors/not-found.ts';
import { handleParserErrors } from './errors/parser-errors.ts';
import { closing } from './exchange/closing.ts';
import { CompactRequest } from './exchange/compact-request.ts';
import { type ExchangeLifecycle, exchangeOf, type Place } from './exchange/exchange.ts';
import { ignoreRest } from './exchange/ignore-rest.ts';
import { limitBodies } from './limits/bodies.ts';
import { limitConnections } from './limits/connections.ts';
import { refuseAmbiguousFraming } from './limits/framing.ts';
import { limitRequests } from './limits/requests.ts';
import { limitSlowReaders } from './limits/slow-readers.ts';
import { noSchemaCompilers } from './runtime/no-schema-compilers.ts';
import { logRequestsWith } from './telemetry/access-log.ts';
import { requestTelemetry } from './telemetry/request-telemetry.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route is an operation, which counts as such with any method. Other routes for GET are documents. */
    isOperation?: boolean;
  }
}

/** What a service is made of: its errors, and its settings. */
export interface EdgeOptions extends EdgeSettings {
  /** Every kind of error that a client can get. */
  readonly catalogue: ErrorCatalogue;
  /** What the client is told of whatever was thrown. What it does not know, it leaves to `fromFastify`. */
  readonly toHttpError: (error: unknown) => HttpError;
}

/** A server without routes. */
export interface Edge {
  /** It does not listen yet; `listen` and `close` are Fastify's. */
  readonly app: FastifyInstance;
  /** The bodies of its operations. */
  readonly bodies: JsonBodies;
}

/** Makes a server that reads and responds as HTTP/1.1 requires, with its limits, its log and its Error records. */
export function createEdge(options: EdgeOptions): Edge {
  const {
    logger,
    logRequest,
    observer,
    bodyLimit = edgeLimits.bodyLimit.default,
    maxRequestsInFlight = edgeLimits.maxRequestsInFlight.default,
    maxBodyBytesInFlight = edgeLimits.maxBodyBytesInFlight.default,
    maxConnections = edgeLimits.maxConnections.default,
    headersTimeout = edgeLimits.headersTimeout.default,
    requestTimeout = edgeLimits.requestTimeout.default,
    responseTimeout = edgeLimits.responseTimeout.default,
    closeTimeout = edgeLimits.closeTimeout.default,
  } = options;
  // Not with the logger: Fastify would make a child of it for every request, and listen for the end of every response,
  // which costs more than our line about it.
  const app = fastify({
    schemaController: noSchemaCompilers,
    genReqId: (request) => exchangeOf(request).requestId,
    bodyLimit,
    requestTimeout,
    // What bounds a parameter is the limit on the head. Fastify's own, 100 characters, would be an error of the router.
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER },
    // `connectionsCheckingInterval` is how often Node looks for slow senders.
    http: {
      IncomingMessage: CompactRequest,
      headersTimeout,
      requestTimeout,
      connectionsCheckingInterval: Math.min(1_000, headersTimeout / 5),
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => parserErrors.onClientError(error, socket),
    // While closing, requests on open connections are served, with `Connection: close`.
    return503OnClosing: false,
    // A target that cannot be decoded gets no further: no hook runs for it.
    frameworkErrors: (error, request, reply) => {
      let refusal: unknown = error;
      try {
        if (!begin(request, reply)) return;
      } catch (fault) {
        refusal = fault;
      }
      void handleError(refusal, request, reply);
    },
  });
  const { server } = app;
  const log = logger ?? app.log;
  const errors = errorRecords(options.catalogue);
  const handleError = errorHandler(log, errors, options.toHttpError);
  const refuseNotFound = notFoundOf(app);
  const telemetry = requestTelemetry(app, observer, logRequest ?? logRequestsWith(log));
  const parserErrors = handleParserErrors(server, log, errors, telemetry.onRawResponse);
  const connections = limitConnections(server, maxConnections, log, errors, telemetry.onRawResponse);
  const requests = limitRequests(maxRequestsInFlight);
  const bodies = limitBodies(Math.max(maxBodyBytesInFlight, bodyLimit));
  // As many unread responses as there may be requests.
  const slowReaders = limitSlowReaders(server, maxRequestsInFlight, responseTimeout, log);
  const { admit, responded, closeListener } = closing(server, options.acceptor);
  observer?.watch(requests.inFlight);
  /** Whether the time to close is over, and every connection was cut off. */
  let isForced = false;

  const lifecycle: ExchangeLifecycle = {
    opened(exchange) {
      connections.opened(exchange);
      parserErrors.opened(exchange);
      requests.opened();
    },
    // From here on it is up to the client how long it takes to read the response, so nobody else waits for that.
    responded(exchange) {
      responded();
      // Nobody reads the rest of the body. Without this, Node would read it past the limit on chunks.
      if (!exchange.request.complete) exchange.request.resume();
      requests.release(exchange);
      bodies.release(exchange);
      slowReaders.add(exchange);
    },
    closed(exchange) {
      if (isForced) exchange.connection.cutOffBecause ??= 'the service closed the connection: it is shutting down';
      requests.closed(exchange);
      bodies.release(exchange);
      slowReaders.delete(exchange);
      connections.closed(exchange);
      telemetry.closed(exchange);
    },
  };
  server.prependListener('request', (request, response) => exchangeOf(request).open(response, lifecycle));
  // Both become requests like all others: an unknown expectation is refused, the route meets 100-continue.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));

  /** Whether the request is to be looked at at all. @throws {HttpError} if it is refused by its head. */
  function begin(request: FastifyRequest, reply: FastifyReply): boolean {
    const exchange = exchangeOf(request.raw);
    // Fastify's `inject` has no `request` event.
    exchange.open(reply.raw, lifecycle);
    if (exchange.connection.closeAfterResponse) {
      // It gets no response, and nothing behind it is looked at, not even what cannot be parsed.
      exchange.connection.isRefused = true;
      ignoreRest(exchange.connection.socket);
      reply.hijack();
      return false;
    }
    telemetry.onRequest(request, reply);
    checkFraming(request, reply);
    requests.admit(exchange, placeOf(request));
    return true;
  }

  // With a callback, which costs less than a promise.
  app.addHook('onRequest', (request, reply, done) => {
    if (!begin(request, reply)) return;
    if (request.is404) refuseNotFound(request);
    admit(done);
  });
  app.addHook('preClose', async () => {
    setTimeout(() => {
      isForced = true;
      server.closeAllConnections();
    }, closeTimeout).unref();
    await closeListener();
  });
  app.setErrorHandler(handleError);
  return { app, bodies: jsonBodies(bodyLimit, bodies, requests) };
}

/** Asks Fastify for the route's options, which takes a microsecond, for methods alone that documents have. */
function placeOf(request: FastifyRequest): Place {
  const { method } = request;
  if (method !== 'GET' && method !== 'HEAD') return 'operations';
  return request.routeOptions.config?.isOperation ? 'operations' : 'documents';
}

/** @throws {HttpError} if where the next request begins is not certain; the connection then closes after the response. */
function checkFraming({ raw }: FastifyRequest, reply: FastifyReply): void {
  const exchange = exchangeOf(raw);
  // There is no upgrade, and Node drops what comes behind one: the next request would begin anywhere.
  if (raw.headers.upgrade !== undefined) {
    exchange.connection.closeAfterResponse = true;
    reply.raw.shouldKeepAlive = false;
  }
  refuseAmbiguousFraming(exchange);
}
