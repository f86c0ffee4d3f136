import type { FastifyInstance } from 'fastify';
import { sendContent } from '../reply/content.ts';
import { compressedOnce, representation } from '../reply/representation.ts';
import { serveRepresentation } from '../reply/serve-representation.ts';
import { readDocsAssets } from './assets.ts';
import { docsPage, docsPolicy } from './page.ts';

/**
 * `GET /docs`: a page to read the description and to try the operation, for anyone, without a token. It loads nothing
 * from elsewhere.
 */
export async function docsRoute(app: FastifyInstance): Promise<void> {
  const assets = readDocsAssets();
  const page = docsPage(assets);
  app.get('/docs', (_request, reply) => {
    // Asked for each time, since it names the files: those of the last release may be gone.
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
