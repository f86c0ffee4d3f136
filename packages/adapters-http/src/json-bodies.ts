import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import { HttpError } from './errors.ts';
import { parseJson } from './json.ts';

/** Reads the bodies of routes that have a schema for one: JSON with exact ids. */
export const jsonBodies = fp(async (app: FastifyInstance) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) =>
    parseJson(body),
  );
  app.addHook('onRoute', (route) => {
    if (route.schema?.body) route.preParsing = beforeBody;
  });
});

/** Of the parameters of `application/json` only this one can say what is not so (RFC 8259 section 11). */
const otherCharset = /;\s*charset=(?!"?utf-?8"?\s*(?:;|$))/i;

const beforeBody: preParsingHookHandler = ({ raw }, reply, payload, done) => {
  const { 'content-type': type = '', 'content-encoding': coding = 'identity', expect } = raw.headers;
  if (coding.toLowerCase() !== 'identity') throw unsupported('send the body without Content-Encoding');
  // Fastify keeps what it has made of a hundred of them.
  if (type.length > 255) throw unsupported('send a shorter Content-Type');
  if (otherCharset.test(type)) throw unsupported('the charset of Content-Type must be utf-8, and the body in UTF-8');
  // Once somebody reads it: Fastify may yet refuse its type or its length. HTTP/1.0 has no 100 (RFC 9110 section 10.1.1).
  if (expect !== undefined && raw.httpVersion === '1.1')
    raw.once('resume', () => reply.raw.headersSent || reply.raw.writeContinue());
  done(null, payload);
};

function unsupported(message: string): HttpError {
  return new HttpError('unsupported-media-type', { message });
}
