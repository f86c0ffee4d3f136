import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import { anyBody, HttpError } from './errors.ts';
import { parseJson } from './json.ts';

/** The body parser of routes with a body schema: JSON with exact ids. */
export const jsonBodies = fp(async (app: FastifyInstance) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) =>
    parseJson(body),
  );
  app.addHook('onRoute', (route) => {
    if (route.schema?.body) route.preParsing = checkContentHeaders;
  });
});

/** `charset` has no meaning for `application/json` (RFC 8259 section 11), but another charset than UTF-8 is an error. */
const wrongCharset = /;\s*charset=(?!"?utf-?8"?\s*(?:;|$))/i;

const checkContentHeaders: preParsingHookHandler = ({ raw }, reply, payload, done) => {
  const { 'content-type': type = '', 'content-encoding': coding = 'identity', expect } = raw.headers;
  if (coding.toLowerCase() !== 'identity') throw unsupported('send the body without Content-Encoding');
  // Fastify caches the parsers of 100 different content types.
  if (type.length > 255) throw unsupported('send a shorter Content-Type');
  if (wrongCharset.test(type)) throw unsupported('the charset of Content-Type must be utf-8, and the body in UTF-8');
  // Sent when reading starts, because Fastify may still reject the type or the length. HTTP/1.0 has no 100 (RFC 9110 10.1.1).
  if (expect !== undefined && raw.httpVersion === '1.1')
    raw.once('resume', () => reply.raw.headersSent || reply.raw.writeContinue());
  done(null, payload);
};

function unsupported(message: string): HttpError {
  return new HttpError(anyBody['unsupported-media-type'], { message });
}
