import type { IncomingMessage, Server } from 'node:http';
import { isIPv4, isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { adminLimits, edgeLimits, type GivenLimits } from './edge-limits.ts';
import type { ErrorRecords } from './errors/catalogue.ts';
import { edgeError, errorMessage, fromFastify, HttpError, retryLater } from './errors/http-error.ts';
import { notFoundOf } from './errors/not-found.ts';
import { isSilence, parserError } from './errors/parser-errors.ts';
import { endConnection } from './errors/raw-response.ts';
import { newRequestId } from './exchange/request-id.ts';
import { noSchemaCompilers } from './runtime/no-schema-compilers.ts';

/** What the admin listener needs to know. */
export interface AdminServerOptions extends GivenLimits<typeof adminLimits> {
  /** Resolves if the service can do its work, throws if it cannot. Must settle within a time-out of its own. */
  readonly ready: () => Promise<void>;
  /** Resolves with the metrics, in Prometheus' text format. */
  readonly metrics: () => Promise<string>;
  /** Names that `Host` may have, besides `localhost` and those below it. */
  readonly allowedHosts?: readonly string[];
}

/**
 * Makes the admin listener: `GET /livez` (the process responds), `GET /readyz` (it can do its work; 503 if it cannot) and
 * `GET /metrics`. Other failures are Error records, as on the public listener. It must not be reachable by the public.
 *
 * A `Host` that is neither an address nor an allowed name gets 400: a page in the operator's browser could make its own name
 * lead here (DNS rebinding), and read the metrics.
 */
export function createAdminServer(
  { ready, metrics, maxConnections = adminLimits.maxConnections.default, allowedHosts = [] }: AdminServerOptions,
  errors: ErrorRecords,
): FastifyInstance {
  const allowed = new Set(['localhost', ...allowedHosts.map((name) => name.toLowerCase().replace(/\.$/, ''))]);
  // Nobody waits for a probe in progress, so shutting down must not wait for it either.
  const app = fastify({
    schemaController: noSchemaCompilers,
    forceCloseConnections: true,
    requestTimeout: edgeLimits.requestTimeout.default,
    http: { headersTimeout: edgeLimits.headersTimeout.default, connectionsCheckingInterval: 1_000 },
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, errors),
    frameworkErrors: (error, _request, reply) => refuse(error, reply, errors),
  });
  const refuseNotFound = notFoundOf(app);
  limitConnections(app.server, maxConnections);
  holdNothing(app.server);
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
  app.addHook('onRequest', async (request) => {
    if (!isAllowed(request.headers.host, allowed)) throw edgeError('malformed-http', hostNotAllowed);
    if (request.is404) refuseNotFound(request);
    if (hasBody(request.raw)) throw edgeError('malformed-http', 'send no body');
  });
  app.setErrorHandler((error, _request, reply) => refuse(error, reply, errors));
  return app;
}

/**
 * Whether `Host` cannot be the name of a stranger's page. There is none in HTTP/1.0. RFC 9110 section 15.5.20 has 421 for the
 * others, but an Error record needs a number of the catalogue, and 400 is what RFC 9112 section 3.2 has for a faulty `Host`.
 */
function isAllowed(host: string | undefined, allowed: ReadonlySet<string>): boolean {
  if (!host) return true;
  const [, address = '', name = ''] = /^(?:\[(.*)\]|([^:]*?)\.?)(?::\d*)?$/.exec(host.toLowerCase()) ?? [];
  return isIPv6(address) || isIPv4(name) || allowed.has(name) || name.endsWith('.localhost');
}

const hostNotAllowed = 'the name in Host is not allowed here; use an IP address, localhost or an allowed name';

function refuse(error: unknown, reply: FastifyReply, errors: ErrorRecords): FastifyReply {
  const { kind, message, headers } = error instanceof HttpError ? error : fromFastify(error);
  // The operator asks: the message may say what failed.
  const said = kind === 'internal-error' ? errorMessage(error) : message;
  const { status, body } = errors(kind, said);
  return reply.code(status).headers(headers).type('application/json').send(body);
}

function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex, errors: ErrorRecords): void {
  const { kind, message } = parserError(error);
  const responds = !isSilence(error, socket) && error.code !== 'ECONNRESET';
  if (!responds || !endConnection(socket, errors(kind, message), newRequestId())) socket.destroy();
}

/**
 * Hands on one request of a connection at a time, and ends the connection with the response to one that has a body: probes and
 * scrapes send none and wait for each response. Reading a body to drop it would let bytes in tiny chunks occupy the process.
 */
function holdNothing(server: Server): void {
  const handlers = server.listeners('request');
  const busy = new WeakSet<Socket>();
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const { socket } = request;
    if (busy.has(socket)) return socket.destroy();
    busy.add(socket);
    response.once('close', () => busy.delete(socket));
    if (hasBody(request)) response.shouldKeepAlive = false;
    for (const handle of handlers) handle.call(server, request, response);
  });
}

/** RFC 9112 section 6.3. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
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
