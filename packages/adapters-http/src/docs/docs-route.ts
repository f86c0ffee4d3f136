import { compressedOnce, representation, sendContent, serveRepresentation } from '@plant-store/http-edge';
import type { FastifyInstance } from 'fastify';
import { readDocsAssets } from './assets.ts';
import { docsPage, docsPolicy } from './page.ts';

/**
 * `GET /docs`: a page to read the description and to try the operation, without a token. It loads nothing from other
 * hosts.
 */
export async function docsRoute(app: FastifyInstance): Promise<void> {
  const assets = readDocsAssets();
  const page = docsPage(assets);
  app.get('/docs', (_request, reply) => {
    // Revalidated every time, because it names the files: those of the last release may be gone.
    reply.headers({ ...protection, 'cache-control': 'no-cache', 'content-security-policy': docsPolicy });
    return sendContent(reply, 'text/html; charset=utf-8', page);
  });
  const headers = { ...protection, 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' };
  for (const { name, mediaType, content } of assets) {
    serveRepresentation(app, `/docs/${name}`, headers, compressedOnce(representation(mediaType, content)));
  }
}

const protection = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;
