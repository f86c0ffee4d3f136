import { createEdge } from '@plant-store/http-edge';
import type { FastifyInstance } from 'fastify';
import { docsRoute } from './docs/docs-route.ts';
import { rootRoute } from './docs/root-route.ts';
import { errorCatalogue } from './errors/catalogue.ts';
import { toHttpError } from './errors/http-error.ts';
import { openApiDocument } from './openapi/document.ts';
import { openApiRoute } from './openapi/openapi-route.ts';
import type { Operation } from './operations/operation.ts';
import { operations } from './operations/operations.ts';
import { operationsRoute } from './operations/operations-route.ts';
import type { HttpServerOptions } from './server-options.ts';

/**
 * Makes the public side of the plant store: its operations, their description at `/openapi.json` and `/openapi.yaml`, and a
 * page to try them at `/docs`; `/` leads there. It does not listen yet; `listen` and `close` are Fastify's.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  return serveOperations(operations, options);
}

/** The same for other operations. */
export function serveOperations<UseCases>(
  served: readonly Operation<UseCases>[],
  { useCases, tokens, requestsPerSecond, docs, ...settings }: HttpServerOptions<UseCases>,
): FastifyInstance {
  const { app, bodies } = createEdge({ ...settings, catalogue: errorCatalogue, toHttpError });
  const offered = { operations: served, useCases, tokens, requestsPerSecond, bodies };
  app.register(async (scope) => operationsRoute(scope, offered));
  const describe = () => openApiDocument(served);
  app.register(openApiRoute, { describe });
  app.register(rootRoute, { operations: served, docs: docs !== undefined });
  if (docs) app.register(docsRoute, { describe, ...docs });
  return app;
}
