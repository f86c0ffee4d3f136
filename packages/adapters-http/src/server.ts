import { createEdge } from '@plant-store/http-edge';
import type { FastifyInstance } from 'fastify';
import { docsRoute } from './docs/docs-route.ts';
import { rootRoute } from './docs/root-route.ts';
import { errorCatalogue } from './errors/catalogue.ts';
import { toHttpError } from './errors/http-error.ts';
import { openApiRoute } from './openapi/openapi-route.ts';
import { plantsRoute } from './plants/create-plant-route.ts';
import type { HttpServerOptions } from './server-options.ts';

/**
 * Makes the public side of the plant store: `POST /plants`, its description at `/openapi.json` and `/openapi.yaml`, and a
 * page to try it at `/docs`; `/` leads there. It does not listen yet; `listen` and `close` are Fastify's.
 */
export function createHttpServer({
  createPlant,
  tokens,
  requestsPerSecond,
  docs = false,
  ...settings
}: HttpServerOptions): FastifyInstance {
  const { app, bodies } = createEdge({ ...settings, catalogue: errorCatalogue, toHttpError });
  app.register(plantsRoute, { createPlant, tokens, requestsPerSecond, bodies });
  app.register(openApiRoute);
  app.register(rootRoute, { docs });
  if (docs) app.register(docsRoute);
  return app;
}
