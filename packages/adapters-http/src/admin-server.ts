import fastify, { type FastifyInstance } from 'fastify';
import { ADMIN_MAX_CONNECTIONS } from './limits.ts';

/** What the admin listener needs to know. */
export interface AdminServerOptions {
  /** Resolves if the service can do its work, throws if it cannot. Must settle within a time-out of its own. */
  readonly ready: () => Promise<void>;
  /** Resolves with the metrics, in Prometheus' text format. */
  readonly metrics: () => Promise<string>;
  readonly maxConnections?: number;
}

/**
 * Makes the admin listener: `GET /livez` (the process responds), `GET /readyz` (it can do its work; 503 if it cannot) and
 * `GET /metrics`. It must not be reachable by the public.
 */
export function createAdminServer({ ready, metrics, maxConnections }: AdminServerOptions): FastifyInstance {
  // Probes have no body. Nobody waits for one in progress, so closing does not either.
  const app = fastify({ bodyLimit: 1, requestTimeout: 10_000, forceCloseConnections: true });
  app.server.maxConnections = maxConnections ?? ADMIN_MAX_CONNECTIONS;
  app.get('/livez', async () => ({ status: 'ok' }));
  app.get('/readyz', (_request, reply) =>
    ready().then(
      () => ({ status: 'ok' }),
      ({ message: reason }: Error) => reply.code(503).header('retry-after', 1).send({ status: 'unavailable', reason }),
    ),
  );
  app.get('/metrics', async (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics()),
  );
  return app;
}
