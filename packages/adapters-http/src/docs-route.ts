import type { FastifyInstance, FastifyReply } from 'fastify';
import { readDocsAssets } from './docs-assets.ts';
import { docsPage, docsPolicy } from './docs-page.ts';
import { sendContent } from './send-content.ts';

/**
 * `GET /docs`: a page to read the description and to try the operation, for anyone, without a token. It loads nothing
 * from elsewhere.
 */
export async function docsRoute(app: FastifyInstance): Promise<void> {
  const assets = readDocsAssets();
  const page = docsPage(assets);
  app.get('/docs', (_request, reply) => {
    // Asked for each time, since it names the files: those of the last release may be gone.
    protect(reply).headers({ 'cache-control': 'no-cache', 'content-security-policy': docsPolicy });
    return sendContent(reply, 'text/html; charset=utf-8', page);
  });
  for (const { name, mediaType, content } of assets) {
    app.get(`/docs/${name}`, (_request, reply) => {
      protect(reply).header('cache-control', 'public, max-age=31536000, immutable');
      return sendContent(reply, mediaType, content);
    });
  }
}

function protect(reply: FastifyReply): FastifyReply {
  return reply.headers({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  });
}
