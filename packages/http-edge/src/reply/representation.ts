import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import Negotiator from 'negotiator';
import { sendContent, sendNotModified } from './send.ts';

/** Content as it is sent, in one of its codings (RFC 9110 section 3.2). */
export interface Representation {
  readonly mediaType: string;
  readonly content: Buffer;
  readonly contentEncoding?: 'gzip';
  /** Strong: made of the bytes that are sent, so no two representations share one (RFC 9110 section 8.8.3). */
  readonly etag: string;
}

/** The representation of content that is sent uncompressed. */
export function representation(mediaType: string, content: Buffer): Representation {
  return { mediaType, content, etag: `"${createHash('sha256').update(content).digest('base64url')}"` };
}

/**
 * Chooses the compressed representation for requests that accept gzip (RFC 9110 section 12.5.3). It is compressed when the
 * first of them comes, in a thread beside the event loop, and kept: content that nobody reads costs nothing, and no later
 * request costs work. A request that accepts no coding at all gets the content uncompressed.
 */
export function compressedOnce(identity: Representation): (request: FastifyRequest) => Promise<Representation> {
  let compressed: Promise<Representation> | undefined;
  return async (request) => {
    if (new Negotiator(request).encoding(['gzip', 'identity']) !== 'gzip') return identity;
    compressed ??= compress(identity);
    return compressed;
  };
}

async function compress({ mediaType, content }: Representation): Promise<Representation> {
  return { ...representation(mediaType, await promisify(gzip)(content)), contentEncoding: 'gzip' };
}

/**
 * Responds to GET and HEAD with the representation that is chosen for the request; with 304 if the client has it
 * (`If-None-Match`, RFC 9110 section 13.1.2). All of these responses have the headers.
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
