import type { CreatePlant, TokenVerifier } from '@plant-store/domain';
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { docsRoute } from './docs/route.ts';
import { answerWithError } from './errors/error-handler.ts';
import { refuseAddress } from './errors/not-found.ts';
import { answerParserErrors } from './errors/parser-errors.ts';
import { answered } from './exchange/answered.ts';
import { endAfterThisRequest, isBehindTheLastRequest } from './exchange/last-request.ts';
import { requestIdOf } from './exchange/request-id.ts';
import { limitConnections } from './limits/connections.ts';
import { limitExchanges } from './limits/exchange-limits.ts';
import { refuseAmbiguousFraming } from './limits/framing.ts';
import { openApiRoute } from './openapi/route.ts';
import { plantsRoute } from './plants/route.ts';
import type { RequestObserver } from './telemetry/request-observer.ts';
import { requestTelemetry } from './telemetry/request-telemetry.ts';

/** What the public listener is made of. */
export interface HttpServerOptions {
  readonly createPlant: CreatePlant;
  readonly tokens: TokenVerifier;
  /** Gets one line a request and the cause of every 500 and 503. Nothing is logged without it. */
  readonly logger?: FastifyBaseLogger;
  /** Told of every request, for metrics and traces. Nobody is by default. */
  readonly observer?: RequestObserver;
  /** The largest body, in bytes. 1 MiB by default: thousands of times a usual plant, and little memory a request. */
  readonly bodyLimit?: number;
  /**
   * How many requests may be under way at once; those beyond are answered 503 before anything is done for them. 2,000
   * by default: what one process answers in about a tenth of a second. As many answers may wait to be read; beyond that,
   * the connection of the one that is unread for the longest time is cut off.
   */
  readonly maxRequestsInFlight?: number;
  /**
   * How many bytes of bodies above 16 KiB may be held at once, at least `bodyLimit`; those beyond are answered 503. 64 MiB by
   * default: what they take while they are parsed and stored stays below the 512 MiB that a container is usually given.
   */
  readonly maxBodyBytesInFlight?: number;
  /**
   * How many connections may be open at once. Beyond that, the one without a request for the longest time makes room; where
   * none is without, the new one is answered 503. 10,000 by default: some 160 MB.
   */
  readonly maxConnections?: number;
  /** How many requests a second are accepted with one token; those beyond are answered 429. No limit without it. */
  readonly requestsPerSecond?: number;
  /** Whether there is a page to try the operation, at `/docs`. Not without it. */
  readonly docs?: boolean;
  /** How long the headers of a request may take, in milliseconds. 5,000 by default: slow senders must not pile up. */
  readonly headersTimeout?: number;
  /** How long a whole request may take to arrive, in milliseconds. 10,000 by default, for the same reason. */
  readonly requestTimeout?: number;
  /**
   * How long an answer may take to be read, in milliseconds, before its connection is cut off. 60,000 by default: the page
   * arrives in that on a slow phone, uncompressed too, 2 MB. It holds up nobody else.
   */
  readonly answerTimeout?: number;
  /**
   * How long `close` waits for requests that are still arriving or being answered, in milliseconds, before it cuts their
   * connections. 5,000 by default: the store answers within 2,000, and a process is usually given 10 seconds to end, of
   * which {@link drain} may take some.
   */
  readonly closeTimeout?: number;
}

/**
 * Makes the public side of the plant store: `POST /plants`, its description at `/openapi.json` and `/openapi.yaml`, and a page
 * to try it at `/docs`. Not listening yet; `listen` and `close` are Fastify's.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const {
    logger,
    bodyLimit = 1_048_576,
    maxRequestsInFlight = 2_000,
    maxBodyBytesInFlight = 67_108_864,
    maxConnections = 10_000,
    headersTimeout = 5_000,
    requestTimeout = 10_000,
    answerTimeout = 60_000,
    closeTimeout = 5_000,
  } = options;
  const app = fastify({
    ...(logger ? { loggerInstance: logger } : {}),
    logController: new LogController({ disableRequestLogging: true }),
    // No logger of its own for every request: what is logged of one names its id.
    childLoggerFactory: (parent) => parent,
    genReqId: requestIdOf,
    bodyLimit,
    requestTimeout,
    // `connectionsCheckingInterval` is how often Node looks for slow senders: at most a second late.
    http: { headersTimeout, requestTimeout, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    clientErrorHandler: (error, socket) => onClientError(error, socket),
    // While closing, what still comes in on open connections is served, with `Connection: close`.
    return503OnClosing: false,
    // A target that cannot be decoded gets no further, so no hook logs it.
    frameworkErrors: (error, request, reply) => {
      limits.begin(reply.raw);
      void answerWithError(error, request, reply).then(() => telemetry.onAnswer(request, reply));
    },
  });
  const telemetry = requestTelemetry(app, options.observer);
  const onClientError = answerParserErrors(app.server, app.log, telemetry.onAnswerToNoRequest);
  limitConnections(app.server, maxConnections, app.log, telemetry.onAnswerToNoRequest);
  // Both are looked at where all requests are: an unknown expectation is refused, 100-continue is met by the route.
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response));
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));

  const limits = limitExchanges(app.server, app.log, {
    maxRequestsInFlight,
    maxBodyBytesInFlight: Math.max(maxBodyBytesInFlight, bodyLimit),
    answerTimeout,
  });
  options.observer?.watch(limits.inFlight);
  // These two run for every request: with callbacks, which cost less than promises.
  app.addHook('onRequest', (request, reply, done) => {
    limits.begin(reply.raw);
    if (isBehindTheLastRequest(request.raw.socket)) {
      // No answer comes, but it is kept like one until the connection is closed.
      answered(reply.raw);
      return void reply.hijack();
    }
    telemetry.onRequest(request, reply);
    // Node drops what has come behind an upgrade that nobody offers: the next request would begin anywhere.
    if (request.raw.headers.upgrade !== undefined) {
      endAfterThisRequest(request.raw.socket);
      reply.raw.shouldKeepAlive = false;
    }
    refuseAmbiguousFraming(request.raw);
    limits.enter(reply.raw);
    if (request.is404) refuseAddress(request);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    telemetry.onAnswer(request, reply);
    done();
  });
  app.addHook('preClose', async () => {
    setTimeout(() => app.server.closeAllConnections(), closeTimeout).unref();
  });
  app.setErrorHandler(answerWithError);
  app.register(plantsRoute, { ...options, bodyLimit, holdBody: limits.holdBody });
  app.register(openApiRoute);
  if (options.docs) app.register(docsRoute);
  return app;
}
