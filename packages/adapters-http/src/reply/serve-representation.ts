import type { FastifyInstance, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import { sendContent, sendNotModified } from './content.ts';
import type { Representation } from './representation.ts';

/**
 * Answers GET and HEAD with the representation that is chosen for the request; with 304 those who have it (`If-None-Match`,
 * RFC 9110 section 13.1.2). All of these answers have the headers.
 */
export function serveRepresentation(
  app: FastifyInstance,
  url: string,
  headers: Readonly<Record<string, string>>,
  choose: (request: FastifyRequest) => Representation | Promise<Representation>,
): void {
  app.route({
    // Both by name: the HEAD that Fastify adds to a GET gives its 304 a length of 0 (RFC 9110 section 8.6).
    method: ['GET', 'HEAD'],
    url,
    async handler(request, reply) {
      const { mediaType, content, contentEncoding, etag } = await choose(request);
      reply.headers({ ...headers, etag });
      // Not with Cache-Control, which speaks to caches alone: every fetch() sends no-cache with a condition of its own.
      const { 'if-none-match': condition } = request.headers;
      if (fresh({ 'if-none-match': condition }, { etag })) return sendNotModified(reply);
      if (contentEncoding) reply.header('content-encoding', contentEncoding);
      return sendContent(reply, mediaType, content);
    },
  });
}
