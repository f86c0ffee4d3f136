import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { limitInFlight } from './guards.ts';
import { connectionOf } from './node-server.ts';
import { openApi } from './openapi.ts';
import type { Operation } from './operation.ts';

/**
 * The Content-Security-Policy of the page (CSP Level 3): it may load scripts and styles from this service and send requests to
 * it. The plugin's own policy upgrades requests to https:, which a service without TLS does not speak.
 */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The style sheet of Swagger UI embeds its icons as data URLs.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Adds what Swagger UI lacks: a viewport for phones, dark colours on dark systems, and a layout that fits a phone. */
const theme = {
  title: 'Plant Store Service Interface',
  js: [
    {
      filename: 'page.js',
      content: `document.head.insertAdjacentHTML('beforeend', '<meta name="viewport" content="width=device-width">');
document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches);`,
    },
  ],
  css: [
    {
      filename: 'page.css',
      content: '.response-col_links { display: none } .swagger-ui .try-out__btn { min-width: 0; padding: 5px 12px }',
    },
  ],
};

/** The plugin's responses to these headers may be errors that are no Error records, or no whole file. */
const CONDITIONS = ['if-match', 'if-modified-since', 'if-unmodified-since', 'range'];

/** 50: a browser gets six files at once. One that is not read takes a file descriptor and 64 KiB. */
const MAX_FILES_IN_FLIGHT = 50;

/** The operations that are served, and whether the page is. */
interface DescriptionOptions {
  readonly docs: boolean;
  readonly operations: readonly Operation[];
}

/**
 * The OpenAPI description, without a token: `GET /openapi.json`, `GET /openapi.yaml` (RFC 9512), a page to try the operations at
 * `GET /docs`, and `GET /`, which lists these. All links are relative, because a proxy may publish the service below a path.
 */
export const description = fp(async (app: FastifyInstance, { docs, operations }: DescriptionOptions) => {
  await app.register(swagger, openApi(operations));
  app.get('/', async () => ({ plants: './plants', openapi: './openapi.json', ...(docs ? { docs: './docs' } : {}) }));
  // Serialized once, because thousands of slow clients may hold a response in memory.
  let json: string | undefined;
  app.get('/openapi.json', async () => (json ??= JSON.stringify(app.swagger())));
  app.get('/openapi.yaml', async (_request, reply) => reply.type('application/yaml').send(app.swagger({ yaml: true })));
  if (!docs) return;
  await app.register(async (page) => {
    page.addHook('onRequest', async ({ raw }, reply) => {
      for (const header of CONDITIONS) delete raw.headers[header];
      // The kernel buffers megabytes for each connection, so a client gets one file on each.
      connectionOf(raw.socket).isClosing = true;
      reply.header('connection', 'close');
    });
    page.addHook('onRequest', limitInFlight(MAX_FILES_IN_FLIGHT));
    await page.register(swaggerUi, {
      routePrefix: '/docs',
      // Relative, because a proxy may strip a prefix of the path.
      indexPrefix: '.',
      staticCSP: pagePolicy,
      // BaseLayout has no bar for other descriptions, which the policy would block.
      uiConfig: { layout: 'BaseLayout' },
      theme,
      // The server URL is relative to /docs/.
      transformSpecification: (document) => ({ ...document, servers: [{ ...document['servers'][0], url: '..' }] }),
      transformSpecificationClone: false,
    });
  });
});
