import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { statusOf } from './errors/catalogue.ts';
import { errorMessage, retryLater, toHttpError } from './errors/http-error.ts';
import { refuseNotFound } from './errors/not-found.ts';
import { isSilence, parserError } from './errors/parser-errors.ts';
import { endConnection, errorBody } from './errors/raw-response.ts';
import { newRequestId } from './exchange/request-id.ts';
import { noSchemaCompilers } from './runtime/no-schema-compilers.ts';

/** What the admin listener needs to know. */
export interface AdminServerOptions {
  /** Resolves if the service can create plants, throws if it cannot. Must settle within a time-out of its own. */
  readonly ready: () => Promise<void>;
  /** Resolves with the metrics, in Prometheus' text format. */
  readonly metrics: () => Promise<string>;
  /**
   * The maximum number of open connections. 100 by default: probes and scrapes of many load balancers and monitors. At the
   * limit the idle ones are closed; if there is none, new ones are.
   */
  readonly maxConnections?: number;
}

/**
 * Makes the admin listener: `GET /livez` (the process responds), `GET /readyz` (it can create plants; 503 if it cannot) and
 * `GET /metrics`. Other failures are Error records, as on the public listener. It must not be reachable by the public.
 */
export function createAdminServer({ ready, metrics, maxConnections = 100 }: AdminServerOptions): FastifyInstance {
  // Nobody waits for a probe in progress, so shutting down must not wait for it either.
  const app = fastify({
    schemaController: noSchemaCompilers,
    forceCloseConnections: true,
    requestTimeout: 10_000,
    http: { headersTimeout: 5_000, connectionsCheckingInterval: 1_000 },
    clientErrorHandler: refuseUnreadable,
    frameworkErrors: (error, _request, reply) => refuse(error, reply),
  });
  limitConnections(app.server, maxConnections);
  app.get('/livez', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    try {
      await ready();
      return { status: 'ok' };
    } catch (error) {
      return reply
        .code(503)
        .headers(retryLater)
        .send({ status: 'unavailable', reason: errorMessage(error) });
    }
  });
  app.get('/metrics', async (_request, reply) => {
    const text = await metrics();
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(text);
  });
  // Before Fastify reads a body that nobody wants.
  app.addHook('onRequest', async (request) => {
    if (request.is404) refuseNotFound(request);
  });
  app.setErrorHandler((error, _request, reply) => refuse(error, reply));
  return app;
}

function refuse(error: unknown, reply: FastifyReply): FastifyReply {
  const { kind, message, headers } = toHttpError(error);
  // The operator asks: the message may say what failed.
  const said = kind === 'internal-error' ? errorMessage(error) : message;
  return reply.code(statusOf(kind)).headers(headers).type('application/json').send(errorBody(kind, said));
}

function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  const { kind, message } = parserError(error);
  const responds = !isSilence(error, socket) && error.code !== 'ECONNRESET';
  if (!responds || !endConnection(socket, kind, message, newRequestId())) socket.destroy();
}

function limitConnections(server: Server, max: number): void {
  let open = 0;
  server.maxConnections = max;
  // Before Node knows the new connection, which is idle, too.
  server.prependListener('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    // So that there is room for the next one.
    if (open >= max) server.closeIdleConnections();
  });
}
