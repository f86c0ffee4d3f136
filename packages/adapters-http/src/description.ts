import { readFileSync } from 'node:fs';
import type { SwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';

/** The OpenAPI description of the service. `openapi.json` is its source, which the HTTP contract compares with what is served. */
const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));

/** Serves the description, `GET /openapi.json`, and a page to try the operations, `GET /docs` if `docs` is true. Neither needs a token. */
export async function description(app: FastifyInstance, { docs }: { readonly docs: boolean }): Promise<void> {
  const json = JSON.stringify(document);
  app.get('/openapi.json', async () => json);
  if (!docs) return;
  // The page takes the description from this plugin. The server URL is relative to /docs/. Both plugins are loaded on demand, because they
  // have a sixth of the service's files.
  const servers = [{ ...document.servers[0], url: '..' }];
  const specification = { document: { ...document, servers } };
  await app.register(import('@fastify/swagger'), { mode: 'static', specification } as SwaggerOptions);
  // Links are relative, because a proxy may strip a prefix of the path.
  await app.register(import('@fastify/swagger-ui'), { routePrefix: '/docs', indexPrefix: '.' });
}
