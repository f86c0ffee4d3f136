import fastify, { type FastifyInstance } from 'fastify';
import { ADMIN_MAX_CONNECTIONS } from './limits.ts';

/** The options of {@link createAdminServer}. */
export interface AdminServerOptions {
  /** Resolves if the service is ready, throws if it is not. It must have a timeout of its own. */
  readonly ready: () => Promise<void>;
  /** Resolves with the metrics, in Prometheus' text format. */
  readonly metrics: () => Promise<string>;
  /** {@link ADMIN_MAX_CONNECTIONS} by default. */
  readonly maxConnections?: number;
}

/**
 * Creates the admin listener: `GET /livez` (the process responds), `GET /readyz` (the service is ready, else 503) and
 * `GET /metrics`. It must not be reachable from the internet.
 */
export function createAdminServer({ ready, metrics, maxConnections }: AdminServerOptions): FastifyInstance {
  // Probes have no body. A probe in progress need not delay the shutdown.
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
