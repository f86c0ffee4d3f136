import fastify, { type FastifyInstance } from 'fastify';

/** The options of {@link createAdminServer}. */
export interface AdminServerOptions {
  /** Resolves if the service is ready, throws if it is not. It must have a timeout of its own. */
  readonly ready: () => Promise<void>;
  /** Resolves with the metrics, in Prometheus' text format. */
  readonly metrics: () => Promise<string>;
}

/**
 * Creates the admin listener: `GET /livez` (the process responds), `GET /readyz` (the service is ready, else 503) and
 * `GET /metrics`. It must not be reachable from the internet.
 */
export function createAdminServer({ ready, metrics }: AdminServerOptions): FastifyInstance {
  // A probe in progress need not delay the shutdown.
  const app = fastify({ forceCloseConnections: true });
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
