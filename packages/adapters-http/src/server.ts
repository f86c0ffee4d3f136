import { parse } from 'node:querystring';
import type { TokenVerifier, UseCases } from '@plant-store/domain';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RouteOptions,
} from 'fastify';
import { validatorCompiler } from 'fastify-type-provider-zod';
import { authenticate } from './authenticate.ts';
import { description } from './description.ts';
import { anyRequest, HttpError, toHttpError } from './errors.ts';
import { ambiguityOf, checkContentHeaders, limitInFlight, rejectLargeBodies } from './guards.ts';
import { parseJson } from './json.ts';
import { type HttpLimits, httpLimits } from './limits.ts';
import { rejectMalformed } from './malformed-http.ts';
import { connectionOf, createNodeServer, type NodeServer } from './node-server.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations.ts';
import { limitRate } from './rate-limit.ts';
import { type RequestObserver, RequestTelemetry, requestId } from './telemetry.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation of the route; undefined for the description. */
    operation?: Operation;
  }
}

/** The dependencies and limits of {@link createHttpServer}. */
export interface HttpServerOptions extends HttpLimits {
  /** The application's use cases: `useCases(store)` of the domain. The log names each operation whose use case is missing. */
  readonly useCases: UseCases;
  readonly tokens: TokenVerifier;
  /** Logs one line per request, and the cause of every 500. */
  readonly logger?: FastifyBaseLogger;
  /** Observes every request, for metrics and traces. */
  readonly observer?: RequestObserver;
  /** The maximum requests per second and token; unlimited by default. Further requests get a 429. */
  readonly requestsPerSecond?: number;
  /** Whether to serve a page at `/docs` to try the operations; false by default. */
  readonly docs?: boolean;
}

/**
 * Creates the public listener: the operations, their description at `/openapi.json` and `/openapi.yaml`, and a page to try
 * them. It does not listen yet; `listen` and `close` are Fastify's.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  return serverOf(operations, options);
}

/** {@link createHttpServer} for any operations. */
export function serverOf(operations: readonly Operation[], options: HttpServerOptions): FastifyInstance {
  const { useCases, tokens, logger, observer, docs = false, requestsPerSecond, ...given } = options;
  const limits = { ...httpLimits, ...given };
  const served = operations.filter(({ useCase }) => useCases[useCase]);
  const hasQuery = served.some(({ schemas }) => schemas.querystring);
  let nodeServer: NodeServer | undefined;
  const app = fastify({
    ...(logger ? { loggerInstance: logger } : {}),
    // A child logger per request costs more than the one line per request, which has the ID itself.
    childLoggerFactory: (log) => log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    bodyLimit: limits.bodyLimit,
    // Parsing a long query that no operation declares would cost time and memory.
    routerOptions: { querystringParser: hasQuery ? parse : () => ({}) },
    serverFactory: (handler) => {
      nodeServer = createNodeServer(handler, limits);
      return nodeServer.server;
    },
    clientErrorHandler: (error, socket) => onMalformed(error, socket),
    // Fastify runs no hooks for a request target that it cannot decode.
    frameworkErrors: (error, request, reply) => {
      startRequest(request, reply);
      sendError(ambiguityOf(request.raw) ?? error, request, reply);
    },
    // During shutdown, requests on open connections are served with `Connection: close`.
    return503OnClosing: false,
  });
  const telemetry = new RequestTelemetry(app.log, observer);
  const onMalformed = rejectMalformed(telemetry);
  app.setValidatorCompiler(validatorCompiler);
  // Use cases return valid records. Validating them again would cost 4 % of a request.
  app.setSerializerCompiler(() => toJson);
  app.setErrorHandler(sendError);
  // Plugins call it, for example for a missing file of the page.
  app.setNotFoundHandler(() => Promise.reject(new HttpError(anyRequest['no-such-path'])));
  app.decorateRequest('failure', undefined);
  app.decorateRequest('span', undefined);
  app.decorateRequest('release', undefined);

  const routes: { readonly path: RegExp; readonly method: string | readonly string[] }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    const parts = url.split(PARAMETER).map((part) => part.replaceAll('.', '\\.').replace(/\*$/, '.*'));
    routes.push({ method, path: new RegExp(`^${parts.join('[^/]+')}$`) });
  });

  app.addHook('onRequest', (request, reply, done) => {
    startRequest(request, reply);
    done(ambiguityOf(request.raw) ?? (request.is404 ? notFound(request) : undefined));
  });
  let isClosing = false;
  let overloadedAt = -Infinity;
  app.addHook('preClose', () => {
    isClosing = true;
    return nodeServer?.close();
  });
  // Fastify sets this header for requests that arrive from now on, but not for requests in flight.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close');
    done(null, payload);
  });

  for (const operation of operations) if (!served.includes(operation)) app.log.warn(notServedMessage(operation));
  app.register(description, { docs, operations: served });

  // The order is authentication, rate limit, validation. The body is read only for authenticated clients.
  app.register(async (scope) => {
    scope.decorateRequest('subject', '');
    scope.addHook('onRequest', authenticate(tokens));
    if (requestsPerSecond !== undefined) await limitRate(scope, requestsPerSecond);
    scope.addHook(
      'preParsing',
      rejectLargeBodies(() => overloadedAt),
    );
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) =>
      parseJson(body),
    );
    scope.addHook('preValidation', limitInFlight(limits.maxRequestsInFlight));
    for (const operation of served) scope.route(routeOf(operation, useCases));
  });
  return app;

  function startRequest(request: FastifyRequest, reply: FastifyReply): void {
    const end = telemetry.start(request, reply);
    // Fastify does not call `onResponse` if the client has disconnected.
    reply.raw.once('close', () => {
      request.release?.();
      end();
    });
    // Without a serializer Fastify adds a charset to application/json, which has no such parameter (RFC 8259 section 11).
    reply
      .serializer(toJson)
      .headers({ 'content-type': 'application/json', 'x-content-type-options': 'nosniff', 'x-request-id': request.id });
  }

  function notFound({ url }: FastifyRequest): HttpError {
    const [path = ''] = url.split('?', 1);
    const methods = routes.filter((route) => route.path.test(path)).flatMap(({ method }) => method);
    if (methods.length === 0) return new HttpError(anyRequest['no-such-path']);
    return new HttpError(anyRequest['method-not-allowed'], {
      headers: { allow: [...new Set(methods)].toSorted().join(', ') },
    });
  }

  function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    const failure = toHttpError(error, request.routeOptions.config.operation?.invalid, error === raw.errored);
    request.failure = failure;
    if (failure.kind === anyRequest.overloaded && failure !== error) overloadedAt = performance.now();
    if (failure.status === 500) app.log.error({ reqId: request.id, err: error }, 'internal error');
    // Discards the rest of the body, which would otherwise stay in memory.
    raw.resume();
    // Fastify closes the connection after any parse error. Here the body is read to its end, so the connection can stay open,
    // unless the client waits for 100 Continue.
    const isLast =
      connectionOf(raw.socket).isClosing ||
      reply.raw.hasHeader('connection') ||
      !reply.raw.shouldKeepAlive ||
      (!raw.complete && raw.headers.expect !== undefined);
    reply
      .code(failure.status)
      .headers({ 'content-type': 'application/json', connection: isLast ? 'close' : 'keep-alive', ...failure.headers })
      .send(failure.record);
  }
}

/** A parameter in a path of Fastify's. */
const PARAMETER = /:\w+(?:\(.*?\))?/;

const notServedMessage = ({ method, path, operationId }: Operation) =>
  `${operationId} (${method} ${path}) is not served, because the store lacks the port for it: a newer version of its storage adapter may have it`;

function routeOf(operation: Operation, useCases: UseCases): RouteOptions {
  const { method, path, operationId, summary, description, tags, schemas } = operation;
  return {
    method,
    // Fastify's own parameter would match an empty segment.
    url: path.replace(/\{(\w+)\}/g, ':$1([^]+)'),
    schema: { operationId, summary, description, tags, ...schemas },
    config: { operation },
    ...(schemas.body ? { preParsing: checkContentHeaders } : {}),
    handler(request) {
      const useCase = useCases[operation.useCase] as NonNullable<UseCases[keyof UseCases]>;
      const handle = () => operation.handle(useCase, request);
      return request.span ? request.span.run(handle) : handle();
    },
  };
}

function toJson(payload: unknown): string {
  return typeof payload === 'string' ? payload : JSON.stringify(payload);
}
