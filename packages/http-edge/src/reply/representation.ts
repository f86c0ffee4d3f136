import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import fresh from 'fresh';
import { sendContent, sendNotModified } from './send.ts';

/** Content as it is sent (RFC 9110 section 3.2). */
export interface Representation {
  readonly mediaType: string;
  readonly content: Buffer;
  /** Strong: made of the bytes that are sent, so no two representations share one (RFC 9110 section 8.8.3). */
  readonly etag: string;
}

/** The representation of this content. */
export function representation(mediaType: string, content: Buffer): Representation {
  return { mediaType, content, etag: `"${createHash('sha256').update(content).digest('base64url')}"` };
}

/**
 * Responds to GET and HEAD with the current representation; with 304 if the client has it
 * (`If-None-Match`, RFC 9110 section 13.1.2). All of these responses have the headers.
 */
export function serveRepresentation(
  app: FastifyInstance,
  url: string,
  headers: Readonly<Record<string, string>>,
  current: () => Representation | Promise<Representation>,
): void {
  app.route({
    // Both by name: the HEAD that Fastify adds to a GET gives its 304 a length of 0 (RFC 9110 section 8.6).
    method: ['GET', 'HEAD'],
    url,
    async handler(request, reply) {
      const { mediaType, content, etag } = await current();
      reply.headers({ ...headers, etag });
      // Not with Cache-Control, which speaks to caches alone: every fetch() sends no-cache with a condition of its own.
      const { 'if-none-match': condition } = request.headers;
      if (fresh({ 'if-none-match': condition }, { etag })) return sendNotModified(reply);
      return sendContent(reply, mediaType, content);
    },
  });
}
