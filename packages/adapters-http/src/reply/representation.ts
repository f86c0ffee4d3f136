import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** A content as it is sent, in one of its codings (RFC 9110 section 3.2). */
export interface Representation {
  readonly mediaType: string;
  readonly content: Buffer;
  readonly contentEncoding?: 'gzip';
  /** Strong: made of the bytes that are sent, so no two representations have the same (RFC 9110 section 8.8.3). */
  readonly etag: string;
}

/** Makes the representation of a content that is sent as it is. */
export function representation(mediaType: string, content: Buffer): Representation {
  return { mediaType, content, etag: `"${createHash('sha256').update(content).digest('base64url')}"` };
}

/**
 * Makes the same representation, compressed for the requests that accept gzip (RFC 9110 section 12.5.3). It is compressed
 * when the first of them comes, in a thread beside the event loop, and kept: nobody pays for a content that nobody
 * reads, and no request after it makes work. A request that accepts no coding at all gets the content as it is.
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
