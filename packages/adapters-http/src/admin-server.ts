import type { Server } from 'node:http';
import fastify, { type FastifyInstance } from 'fastify';
import { errorMessage, retryLater } from './errors/http-error.ts';

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
 * `GET /metrics`. It must not be reachable by the public.
 */
export function createAdminServer({ ready, metrics, maxConnections = 100 }: AdminServerOptions): FastifyInstance {
  // Nobody waits for a probe in progress, so shutting down must not wait for it either.
  const app = fastify({ forceCloseConnections: true, requestTimeout: 10_000, http: { headersTimeout: 5_000 } });
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
  return app;
}

function limitConnections(server: Server, max: number): void {
  let open = 0;
  server.maxConnections = max;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    // So that there is room for the next one.
    if (open >= max) server.closeIdleConnections();
  });
}
