import { randomUUID, timingSafeEqual } from 'node:crypto';
import fastify, { type FastifyInstance } from 'fastify';
import { Histogram, register } from 'prom-client';

/** A Fastify application with a log, request ids, metrics and a bearer token. */
export function equippedApp(): FastifyInstance {
  const expected = Buffer.from(`Bearer ${process.env['API_TOKENS']}`);
  const genReqId = () => randomUUID();
  const app: FastifyInstance = fastify({ logger: true, requestIdHeader: 'x-request-id', genReqId });
  const labelNames = ['method', 'route', 'status'] as const;
  const duration = new Histogram({ name: 'http_request_duration_seconds', help: 'Duration of requests', labelNames });
  app.get('/metrics', () => register.metrics());
  app.addHook('onRequest', async ({ id, headers: { authorization = '' } }, reply) => {
    reply.header('x-request-id', id);
    const given = Buffer.from(authorization);
    const isKnown = given.length === expected.length && timingSafeEqual(given, expected);
    return isKnown ? undefined : reply.code(401).send({ message: 'a bearer token is required' });
  });
  app.addHook('onResponse', async ({ method, routeOptions: { url: route = '' } }, { statusCode, elapsedTime }) =>
    duration.observe({ method, route, status: statusCode }, elapsedTime / 1_000),
  );
  return app;
}
