import type { TokenVerifier, UseCases } from '@plant-store/domain';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { authenticate, closing, latest, limitInFlight, limitRate, rejectAmbiguous } from './admission.ts';
import { description } from './description.ts';
import { drain } from './drain.ts';
import { codeToHttpError, commonErrors, HttpError, toHttpError } from './errors.ts';
import { acceptJson } from './json.ts';
import { type HttpLimits, httpLimits } from './limits.ts';
import { handleAllRequests, rejectMalformed } from './malformed-http.ts';
import { plants } from './plants.ts';
import { chooseRequestId, type RequestObserver, recordRequests } from './telemetry.ts';

/** The dependencies and limits of {@link createHttpServer}. */
export interface HttpServerOptions extends HttpLimits {
  /** The application's use cases: `useCases(store)` of the domain. */
  readonly useCases: UseCases;
  readonly tokens: TokenVerifier;
  /** Logs a line for each request, and the cause of a 500. */
  readonly logger?: FastifyBaseLogger;
  /** Observes the requests, for metrics. */
  readonly observer?: RequestObserver;
  /** Whether to serve a page at `/docs` to try the operations; false by default. */
  readonly docs?: boolean;
}

/**
 * Creates the public listener: the operations, their description at `/openapi.json`, and a page to try them. It does not listen
 * yet; `listen` and `close` are Fastify's.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { useCases, tokens, logger, observer, docs = false, ...given } = options;
  const limits = { ...httpLimits, ...given };
  const { bodyLimit, requestTimeout, keepAliveTimeout, headersTimeout, requestsPerSecond } = limits;
  const app = fastify({
    ...(logger ? { loggerInstance: logger } : {}),
    // A child logger per request costs more than the one line per request, which has the ID itself.
    childLoggerFactory: (log) => log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: chooseRequestId,
    bodyLimit,
    requestTimeout,
    keepAliveTimeout,
    // Closes slow readers. 2 MB arrive in a minute on a slow phone.
    connectionTimeout: 60_000,
    http: {
      headersTimeout,
      connectionsCheckingInterval: Math.min(1_000, headersTimeout / 5),
      // Bounds what is read of a body while its token is checked: chunks of a byte take some 300 each.
      highWaterMark: 4_096,
      // The service responds to a missing Host itself, with an Error record.
      requireHostHeader: false,
      // Otherwise Node takes the first of several Host or Authorization headers, and a proxy may have taken the last.
      joinDuplicateHeaders: true,
    },
    // No operation reads the query yet, and to parse a long one would cost time and memory.
    routerOptions: { querystringParser: () => ({}) },
    clientErrorHandler: (error, socket) => onMalformed(error, socket),
    // Fastify runs no hooks for a request target that it cannot decode.
    frameworkErrors: (error, request, reply) => {
      startRequest(request, reply);
      sendError(error, request, reply);
    },
    // During shutdown, requests on open connections are served with `Connection: close`.
    return503OnClosing: false,
  });
  app.server.maxConnections = limits.maxConnections;
  // 100: browsers and proxies send some 30.
  app.server.maxHeadersCount = 100;
  handleAllRequests(app.server);
  const telemetry = recordRequests(app.log, observer);
  const onMalformed = rejectMalformed(telemetry);
  app.decorateRequest('subject', undefined);
  app.decorateRequest('failure', undefined);
  app.setErrorHandler(sendError);
  app.setNotFoundHandler(rejectTarget);
  // Bodies belong to the operations.
  app.removeAllContentTypeParsers();

  app.addHook('onRequest', (request, reply, done) => {
    if (closing.has(request.raw.socket)) return void reply.hijack();
    startRequest(request, reply);
    rejectAmbiguous(request.raw);
    done();
  });
  let isDraining = false;
  app.addHook('preClose', () => {
    isDraining = true;
    return drain(app.server);
  });
  // Fastify sets this header for requests that arrive during shutdown, but not for those in flight.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isDraining) reply.header('connection', 'close');
    done(null, payload);
  });

  app.register(description, { docs });
  app.register(async (scope) => {
    observer?.watch(limitInFlight(scope, limits.maxRequestsInFlight));
    // The body is read only for authenticated clients.
    scope.addHook('onRequest', authenticate(tokens));
    if (requestsPerSecond !== undefined) await limitRate(scope, requestsPerSecond);
    acceptJson(scope);
    await scope.register(plants, useCases);
  });
  return app;

  function startRequest(request: FastifyRequest, reply: FastifyReply): void {
    latest.set(request.raw.socket, reply.raw);
    telemetry.start(request, reply);
    // Without a serializer Fastify adds a charset to application/json, which has no such parameter (RFC 8259 section 11).
    reply
      .serializer(toJson)
      .headers({ 'content-type': 'application/json', 'x-content-type-options': 'nosniff', 'x-request-id': request.id });
  }

  /** Plugins call it, too, for example for a missing file of the page. */
  async function rejectTarget({ method, url }: FastifyRequest): Promise<never> {
    const allowed = app.supportedMethods.filter((supported) => app.findRoute({ method: supported, url }) !== null);
    if (allowed.length === 0 || allowed.includes(method)) throw new HttpError(commonErrors['no-such-path']);
    throw new HttpError(commonErrors['method-not-allowed'], { headers: { allow: allowed.toSorted().join(', ') } });
  }

  function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    // The client of a request that has an error has gone away.
    const failure = raw.errored ? codeToHttpError(raw.errored.name) : toHttpError(error);
    request.failure = failure;
    if (failure.kind.status === 500) app.log.error({ reqId: request.id, err: error }, 'internal error');
    // Discards the rest of the body, which would otherwise stay in memory.
    raw.resume();
    // Fastify closes the connection after a body that cannot be parsed. Here it is read to its end, so the connection can stay
    // open, unless the client waits for 100 Continue.
    const isLast = !reply.raw.shouldKeepAlive || (!raw.complete && raw.headers.expect !== undefined);
    reply
      .code(failure.kind.status)
      .headers({ 'content-type': 'application/json', connection: isLast ? 'close' : 'keep-alive', ...failure.headers })
      .send(failure.record);
  }
}

function toJson(payload: unknown): string {
  return typeof payload === 'string' ? payload : JSON.stringify(payload);
}
