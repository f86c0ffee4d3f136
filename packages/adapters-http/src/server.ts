import type { TokenVerifier, UseCases } from '@plant-store/domain';
import { createEdge, type EdgeSettings } from '@plant-store/http-edge';
import type { FastifyInstance } from 'fastify';
import { docsRoute } from './docs/docs-route.ts';
import type { PageOptions } from './docs/page.ts';
import { rootRoute } from './docs/root-route.ts';
import type { GivenLimits, httpLimits } from './http-limits.ts';
import { openApiDocument } from './openapi/document.ts';
import { openApiRoute } from './openapi/openapi-route.ts';
import { catalogueOf } from './operations/error-catalogue.ts';
import type { Operation } from './operations/operation.ts';
import { operations } from './operations/operations.ts';
import { operationsRoute } from './operations/operations-route.ts';
import { toHttpError } from './to-http-error.ts';

/** What the public listener is made of, with its limits. */
export interface HttpServerOptions<Offered = UseCases> extends EdgeSettings, GivenLimits<typeof httpLimits> {
  /** What the operations do: `useCases(store)` of the domain. */
  readonly useCases: Offered;
  readonly tokens: TokenVerifier;
  /** What the page to try the operations says, at `/docs`. Without it there is none. */
  readonly docs?: PageOptions;
}

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
  const { app, bodies } = createEdge({ ...settings, catalogue: catalogueOf(served), toHttpError });
  const offered = { operations: served, useCases, tokens, requestsPerSecond, bodies };
  app.register(async (scope) => operationsRoute(scope, offered));
  const describe = () => openApiDocument(served);
  app.register(openApiRoute, { describe });
  app.register(rootRoute, { operations: served, docs: docs !== undefined });
  if (docs) app.register(docsRoute, { describe, ...docs });
  return app;
}
