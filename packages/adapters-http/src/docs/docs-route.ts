import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { representation, sendContent, serveRepresentation } from '@plant-store/http-edge';
import type { FastifyInstance } from 'fastify';
import { docsPage, type PageOptions } from './page.ts';

/**
 * `GET /docs`: a page to read the description and to try the operations, without a token. It loads nothing from other
 * hosts.
 *
 * @param options.describe makes the OpenAPI document.
 */
export async function docsRoute(
  app: FastifyInstance,
  { describe, ...options }: PageOptions & { readonly describe: () => object },
): Promise<void> {
  const files = names.map((name) => ({ name, content: readFileSync(new URL(name, directory)) }));
  // In the path, so that a script's imports have it, too: a file of this path never changes.
  const digest = files.reduce((hash, { content }) => hash.update(content), createHash('sha256')).digest('hex');
  const below = `docs/${digest.slice(0, 16)}`;
  const page = docsPage(describe(), { css: `${below}/docs.css`, js: `${below}/docs.js` }, options);
  app.get('/docs', (_request, reply) => {
    // Revalidated every time, because it names the files: those of the last release may be gone.
    reply.headers({ ...protection, 'cache-control': 'no-cache', 'content-security-policy': docsPolicy });
    return sendContent(reply, 'text/html; charset=utf-8', page);
  });
  const headers = { ...protection, 'cache-control': 'public, max-age=31536000, immutable' };
  for (const { name, content } of files) {
    const mediaType = `text/${name.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`;
    const file = representation(mediaType, content);
    serveRepresentation(app, `/${below}/${name}`, headers, () => file);
  }
}

// Next to src and dist: the code runs from either.
const directory = new URL('../../docs-page/', import.meta.url);
const names = ['docs.css', 'docs.js', 'code-snippets.js'];

/**
 * What the browser may do on the page (CSP Level 3): load scripts and styles from this service, send requests to it, and
 * nothing else. The image is the icon, which is in the page.
 */
const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const protection = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;
