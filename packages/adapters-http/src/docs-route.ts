import type { FastifyInstance, FastifyReply } from 'fastify';
import { readDocsAssets } from './docs-assets.ts';
import { docsPage, docsPolicy } from './docs-page.ts';
import { limitInFlight } from './requests-in-flight.ts';
import { sendContent } from './send-content.ts';

/** How long the page or a file of it may take to be read, in milliseconds: 2 MB arrive in that on a slow phone. */
const READ_WITHIN_MS = 60_000;

/** As many as a browser asks for at once (RFC 9112 section 9.4 leaves the number to it; all of them settled on six). */
const CONNECTIONS_OF_A_BROWSER = 6;

/**
 * `GET /docs`: a page to read the description and to try the operation, for anyone, without a token. It loads nothing
 * from elsewhere.
 *
 * The files are large, and whoever asks for them may read them as slowly as they like. So they have a bound of their own,
 * a twentieth of all requests that may be under way, and an end: nobody who creates plants waits for them.
 */
export async function docsRoute(
  app: FastifyInstance,
  { maxRequestsInFlight }: { readonly maxRequestsInFlight: number },
): Promise<void> {
  const limit = limitInFlight(Math.max(CONNECTIONS_OF_A_BROWSER, Math.ceil(maxRequestsInFlight / 20)));
  app.addHook('onRequest', (_request, { raw }, done) => {
    limit.enter(raw);
    const late = setTimeout(() => raw.destroy(), READ_WITHIN_MS).unref();
    raw.once('close', () => clearTimeout(late));
    done();
  });

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
