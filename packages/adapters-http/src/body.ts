import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import { commonErrors, HttpError } from './errors.ts';
import { InvalidJson, parseJson } from './json.ts';

/** Makes the operations of a scope accept bodies of JSON in UTF-8, and nothing else. An absent body is not JSON either. */
export function acceptJson(scope: FastifyInstance): void {
  scope.addHook('preParsing', checkContentHeaders);
  scope.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    const bytes = await readBody(payload, request.routeOptions.bodyLimit, request.headers['content-length']);
    try {
      return parseJson(bytes);
    } catch (error) {
      if (!(error instanceof InvalidJson)) throw error;
      throw new HttpError(commonErrors['malformed-json'], { message: `the body is ${error.message}` });
    }
  });
}

/** `charset` has no meaning for `application/json` (RFC 8259 section 11), but another charset than UTF-8 is an error. */
const wrongCharset = /;\s*charset=(?!"?utf-?8"?\s*(?:;|$))/i;

/** Rejects the content headers of a body that is not plain JSON. Sends `100 Continue` when the body is read. */
const checkContentHeaders: preParsingHookHandler = ({ raw }, reply, payload, done) => {
  const { 'content-type': type = '', 'content-encoding': coding = 'identity', expect } = raw.headers;
  const kind = commonErrors['unsupported-media-type'];
  if (coding.toLowerCase() !== 'identity')
    throw new HttpError(kind, { message: 'send the body without Content-Encoding' });
  if (wrongCharset.test(type))
    throw new HttpError(kind, { message: 'send the body in UTF-8, the only charset of JSON' });
  // Sent when reading starts, because the type or the length may still be rejected. HTTP/1.0 has no 100 (RFC 9110 10.1.1).
  if (expect !== undefined && raw.httpVersion === '1.1')
    raw.once('resume', () => reply.raw.headersSent || reply.raw.writeContinue());
  done(null, payload);
};

/** 1 KiB: most plants are smaller. The buffer of a body of unknown length begins with it, and doubles. */
const FIRST_BYTES = 1_024;

/**
 * Reads a body into one buffer, so that it takes no more memory than its size, however small its chunks are. Fastify's own
 * reader keeps every chunk: 64 KiB in chunks of a byte took it 11 MB.
 *
 * @param declared the Content-Length, if there is one.
 * @throws {HttpError} `body-too-large`, before anything is read if the length is declared.
 */
function readBody(body: Readable, limit: number, declared?: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tooLarge = () => new HttpError(commonErrors['body-too-large']);
    if (Number(declared) > limit) throw tooLarge();
    // The client may have disconnected while its token was checked. No further event would come then.
    if (body.destroyed) throw body.errored ?? new Error('the client has disconnected');
    let buffer = Buffer.allocUnsafe(Number(declared ?? FIRST_BYTES));
    let length = 0;
    const onData = (chunk: Buffer) => {
      const end = length + chunk.length;
      if (end > limit) {
        body.off('data', onData);
        return reject(tooLarge());
      }
      if (end > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.min(Math.max(2 * buffer.length, end), limit));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      chunk.copy(buffer, length);
      length = end;
    };
    body.on('data', onData);
    body.once('end', () => resolve(buffer.subarray(0, length)));
    body.once('error', reject);
  });
}
