import { ReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { anyRequest, HttpError } from './errors.ts';
import { connectionOf } from './node-server.ts';
import { openApi } from './openapi.ts';

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

/** A file of the page, in memory. */
interface PageFile {
  readonly headers: Readonly<Record<'content-type' | 'cache-control' | 'etag', number | string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** The name of the file that a request gets, decoded; undefined for HEAD and for the plugin's other routes. */
const fileOf = ({ method, params }: FastifyRequest): string | undefined =>
  method === 'GET' ? (params as { readonly '*'?: string })['*'] : undefined;

const CONDITIONS = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'range'];

/**
 * The OpenAPI description, without a token: `GET /openapi.json`, `GET /openapi.yaml` (RFC 9512), a page to try the operations at
 * `GET /docs`, and `GET /`, which lists these. All links are relative, because a proxy may publish the service below a path.
 */
export const description = fp(async (app: FastifyInstance, { docs }: { readonly docs: boolean }) => {
  await app.register(swagger, openApi);
  app.get('/', async () => ({ plants: './plants', openapi: './openapi.json', ...(docs ? { docs: './docs' } : {}) }));
  // Serialized once, because thousands of slow clients may hold a response in memory.
  let json: string | undefined;
  app.get('/openapi.json', async () => (json ??= JSON.stringify(app.swagger())));
  app.get('/openapi.yaml', async (_request, reply) => reply.type('application/yaml').send(app.swagger({ yaml: true })));
  if (!docs) return;
  await app.register(async (page) => {
    // Each file is one buffer. As streams, responses that nobody reads would take a file descriptor and 64 KiB each.
    const files = new Map<string, PromiseWithResolvers<PageFile | undefined>>();
    page.addHook('onRequest', async (request, reply) => {
      const { headers, socket } = request.raw;
      const { 'if-none-match': etag } = headers;
      // The plugin's responses to these headers may be errors that are not Error records, or no whole file.
      for (const header of CONDITIONS) delete headers[header];
      const name = fileOf(request);
      if (name === undefined) return undefined;
      // Further spellings, such as ./page.js, would be files of their own, without limit.
      if (!/^[\w.-]+$/.test(name)) throw new HttpError(anyRequest['no-such-path']);
      // The kernel buffers megabytes for each connection, so a client gets one file on each.
      connectionOf(socket).isClosing = true;
      reply.header('connection', 'close');
      const first = files.get(name);
      if (!first) files.set(name, Promise.withResolvers());
      const file = await first?.promise;
      if (etag !== undefined && etag === file?.headers.etag) return reply.headers(file.headers).code(304).send();
      return file && reply.headers(file.headers).send(file.bytes);
    });
    page.addHook('onSend', async (request, reply, payload) => {
      const name = fileOf(request);
      if (name === undefined || Buffer.isBuffer(payload) || reply.statusCode === 304) return payload;
      const bytes = payload instanceof ReadStream ? await buffer(payload) : undefined;
      const { 'content-type': type, 'cache-control': cacheControl, etag } = reply.getHeaders();
      const headers = { 'content-type': type, 'cache-control': cacheControl, etag };
      files.get(name)?.resolve(bytes && { headers, bytes });
      if (!bytes) files.delete(name);
      return bytes ?? payload;
    });
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
