import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createEdge } from './edge.ts';
import { adminLimits, type GivenLimits } from './edge-limits.ts';
import type { ErrorCatalogue } from './errors/error-records.ts';
import { edgeError, errorMessage, fromFastify, HttpError, retryLater } from './errors/http-error.ts';
import { exchangeOf } from './exchange/exchange.ts';
import { sendContent, sendJson } from './reply/send.ts';

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
  catalogue: ErrorCatalogue,
): FastifyInstance {
  const allowed = new Set(['localhost', ...allowedHosts.map((name) => name.toLowerCase().replace(/\.$/, ''))]);
  const { app } = createEdge({
    catalogue,
    toHttpError,
    maxConnections,
    maxRequestsInFlight: maxConnections,
    // Nobody waits for a probe in progress, so shutting down must not wait for it either.
    closeTimeout: 0,
  });
  app.addHook('onRequest', async ({ headers, raw }, reply) => {
    // Probes and scrapes wait for each response. A connection must not cause as many scrapes at once as all of them may.
    if (exchangeOf(raw).connection.unfinished > 1) {
      raw.socket.destroy();
      return reply.hijack();
    }
    if (!isAllowed(headers.host, allowed)) throw edgeError('malformed-http', hostNotAllowed);
    if (hasBody(raw)) throw edgeError('malformed-http', 'send no body');
  });
  app.get('/livez', (_request, reply) => sendJson(reply, '{"status":"ok"}'));
  app.get('/readyz', async (_request, reply) => {
    try {
      await ready();
      return sendJson(reply, '{"status":"ok"}');
    } catch (error) {
      const body = { status: 'unavailable', reason: errorMessage(error) };
      return sendJson(reply.code(503).headers(retryLater), JSON.stringify(body));
    }
  });
  app.get('/metrics', async (_request, reply) =>
    sendContent(reply, 'text/plain; version=0.0.4; charset=utf-8', await metrics()),
  );
  return app;
}

/** The operator asks: the message of a defect says what failed. */
function toHttpError(error: unknown): HttpError {
  const refusal = error instanceof HttpError ? error : fromFastify(error);
  return refusal.kind === 'internal-error' ? new HttpError(refusal.kind, errorMessage(error)) : refusal;
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

/** RFC 9112 section 6.3. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
