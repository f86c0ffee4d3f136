import fastify, { type FastifyInstance } from 'fastify';
import { reasonOf } from './errors/error-message.ts';
import { retrySoon } from './errors/http-error.ts';

/** What the operator's listener needs to know. */
export interface AdminServerOptions {
  /** Resolves when the service can create plants, throws when it cannot. Must answer within a bound of its own. */
  readonly ready: () => Promise<void>;
  /** Resolves with the metrics, in Prometheus' text format. */
  readonly metrics: () => Promise<string>;
}

/**
 * Makes the operator's side: `GET /livez` (the process answers), `GET /readyz` (it can create plants; 503 when it
 * cannot) and `GET /metrics`. It belongs on a listener that the public does not reach.
 */
export function createAdminServer({ ready, metrics }: AdminServerOptions): FastifyInstance {
  // Nobody waits for a probe that is under way: shutting down must not wait for it either.
  const app = fastify({ forceCloseConnections: true, requestTimeout: 10_000, http: { headersTimeout: 5_000 } });
  app.get('/livez', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    try {
      await ready();
      return { status: 'ok' };
    } catch (error) {
      return reply
        .code(503)
        .headers(retrySoon)
        .send({ status: 'unavailable', reason: reasonOf(error) });
    }
  });
  app.get('/metrics', async (_request, reply) => {
    const text = await metrics();
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(text);
  });
  return app;
}
