import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { openApi } from './openapi.ts';

/**
 * What the browser may do on the page (CSP Level 3): load scripts and styles from this service, send requests to it, and
 * nothing else. Not the plugin's own policy, which upgrades to https:, and a service without TLS does not speak that.
 */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The icons of its style sheet.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What the plugin's page lacks: the width of a phone, the dark colours where the system is dark, and room on a phone. */
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

/**
 * The description of the interface, without a token: `GET /openapi.json`, `GET /openapi.yaml` (RFC 9512), a page to try the
 * operations at `GET /docs`, and `GET /`, which says where these are. Their addresses are relative, so that the service may be
 * below a path of somebody else's host.
 */
export const description = fp(async (app: FastifyInstance, { docs }: { readonly docs: boolean }) => {
  await app.register(swagger, openApi);
  app.get('/', async () => ({ plants: './plants', openapi: './openapi.json', ...(docs ? { docs: './docs' } : {}) }));
  // One text for all responses: thousands of them may wait until their clients read.
  let json: string | undefined;
  app.get('/openapi.json', async () => (json ??= JSON.stringify(app.swagger())));
  app.get('/openapi.yaml', async (_request, reply) => reply.type('application/yaml').send(app.swagger({ yaml: true })));
  if (!docs) return;
  await app.register(async (page) => {
    // The plugin's files answer these with errors of their own, which are no Error records.
    page.addHook('onRequest', async ({ raw: { headers } }) => {
      for (const name of ['if-match', 'if-unmodified-since', 'range']) delete headers[name];
    });
    await page.register(swaggerUi, {
      routePrefix: '/docs',
      // Relative, for a proxy that strips a path.
      indexPrefix: '.',
      staticCSP: pagePolicy,
      // Without the bar that offers other descriptions, which the policy blocks.
      uiConfig: { layout: 'BaseLayout' },
      theme,
      // The page reads the description one level below.
      transformSpecification: (document) => ({ ...document, servers: [{ ...document['servers'][0], url: '..' }] }),
      transformSpecificationClone: false,
    });
  });
});
