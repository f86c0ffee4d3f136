import rateLimit from '@fastify/rate-limit';
import type { TokenVerifier, UseCases } from '@plant-store/domain';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { validatorCompiler } from 'fastify-type-provider-zod';
import { authenticate } from './authenticate.ts';
import { createPlantRoute } from './create-plant.ts';
import { description } from './description.ts';
import { HttpError, toHttpError } from './errors.ts';
import { ambiguityOf, limitInFlight } from './guards.ts';
import { jsonBodies } from './json-bodies.ts';
import { type HttpLimits, httpLimits } from './limits.ts';
import { refuseMalformed } from './malformed-http.ts';
import { closeListener, createNodeServer } from './node-server.ts';
import { type RequestObserver, RequestTelemetry, requestId } from './telemetry.ts';

/** What the public listener is made of, with its limits. */
export interface HttpServerOptions extends HttpLimits {
  /** What the operations do: `useCases(store)` of the domain. */
  readonly useCases: UseCases;
  readonly tokens: TokenVerifier;
  /** Gets a line for each request, and the cause of every 500. */
  readonly logger?: FastifyBaseLogger;
  /** Notified of every request, for metrics and traces. */
  readonly observer?: RequestObserver;
  /** The maximum requests per second with one token; without it there is no limit. Those beyond get a 429. */
  readonly requestsPerSecond?: number;
  /** Whether there is a page to try the operations, at `/docs`. */
  readonly docs?: boolean;
}

/**
 * Makes the public side of the plant store: its operations, their description at `/openapi.json` and `/openapi.yaml`, and a
 * page to try them. It does not listen yet; `listen` and `close` are Fastify's.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { useCases, tokens, logger, observer, docs = false, requestsPerSecond, ...given } = options;
  const limits = { ...httpLimits, ...given };
  const app = fastify({
    ...(logger ? { loggerInstance: logger } : {}),
    // A child for each request costs more than its line, which names the request itself.
    childLoggerFactory: (log) => log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    bodyLimit: limits.bodyLimit,
    // No path has a query: parsing a long one would cost time and memory.
    routerOptions: { querystringParser: () => ({}) },
    serverFactory: (handler) => createNodeServer(handler, limits),
    clientErrorHandler: (error, socket) => onClientError(error, socket),
    // A target that cannot be decoded: no hook runs for it.
    frameworkErrors: (error, request, reply) => {
      begin(request, reply);
      sendError(ambiguityOf(request.raw) ?? error, request, reply);
    },
    // While closing, requests on open connections are served, with `Connection: close`.
    return503OnClosing: false,
  });
  const telemetry = new RequestTelemetry(app.log, observer);
  const onClientError = refuseMalformed(telemetry);
  app.setValidatorCompiler(validatorCompiler);
  // What a use case returns has the type of its record: checking it again would cost 4 % of a request.
  app.setSerializerCompiler(() => toJson);
  app.setErrorHandler(sendError);
  // For what a plugin does not find, such as a file of the page.
  app.setNotFoundHandler(() => Promise.reject(new HttpError('no-such-path')));
  app.decorateRequest('failure', undefined);

  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    done(ambiguityOf(request.raw) ?? (request.is404 ? notFound(request) : undefined));
  });
  let isClosing = false;
  app.addHook('preClose', () => {
    isClosing = true;
    return closeListener(app.server);
  });
  // Fastify says so to requests that come from now on, but not to those in flight, whose connections would stay open.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close');
    done(null, payload);
  });

  app.register(description, { docs });

  // In this order: who sends it, then how much, then what; the body is read only for clients that may send one.
  app.register(async (operations) => {
    operations.decorateRequest('subject', '');
    operations.addHook('onRequest', authenticate(tokens));
    // By the subject of the token, so that a stranger cannot use up another's share.
    if (requestsPerSecond !== undefined)
      await operations.register(rateLimit, {
        max: requestsPerSecond,
        timeWindow: 1_000,
        keyGenerator: ({ subject }) => subject,
        errorResponseBuilder: () => new HttpError('too-many-requests'),
      });
    await operations.register(jsonBodies);
    operations.addHook('preValidation', limitInFlight(limits.maxRequestsInFlight));
    await operations.register(createPlantRoute, { useCases });
  });
  return app;

  function begin(request: FastifyRequest, reply: FastifyReply): void {
    telemetry.begin(request, reply);
    // Without a serializer Fastify adds a charset to application/json, which has no such parameter (RFC 8259 section 11).
    reply
      .serializer(toJson)
      .headers({ 'content-type': 'application/json', 'x-content-type-options': 'nosniff', 'x-request-id': request.id });
  }

  function notFound({ url }: FastifyRequest): HttpError {
    const methods = app.supportedMethods.filter((method) => app.findRoute({ method, url }) !== null);
    if (methods.length === 0) return new HttpError('no-such-path');
    return new HttpError('method-not-allowed', { headers: { allow: methods.join(', ') } });
  }

  function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    const failure = toHttpError(error, error === raw.errored);
    request.failure = failure;
    if (failure.status === 500) app.log.error({ reqId: request.id, err: error }, 'internal error');
    // Nobody reads the rest: it must not wait in memory until the response is read.
    raw.resume();
    // Fastify closes the connection after a body that it cannot parse. This one was read to its end, or will be, unless its
    // client waits for leave to send it.
    const isLast =
      reply.raw.hasHeader('connection') ||
      !reply.raw.shouldKeepAlive ||
      (!raw.complete && raw.headers.expect !== undefined);
    reply
      .code(failure.status)
      .headers({ 'content-type': 'application/json', connection: isLast ? 'close' : 'keep-alive', ...failure.headers })
      .send(failure.record);
  }
}

function toJson(payload: unknown): string {
  return typeof payload === 'string' ? payload : JSON.stringify(payload);
}
