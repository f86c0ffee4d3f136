import type { IncomingMessage } from 'node:http';
import type { onRequestHookHandler, preParsingHookHandler, preValidationHookHandler } from 'fastify';
import { anyBody, anyRequest, HttpError } from './errors.ts';
import { connectionOf } from './node-server.ts';

/** `Host = uri-host [ ":" port ]` (RFC 9110 section 7.2). Any host is accepted. */
const hostSyntax = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i;

/**
 * Detects requests that Node's parser accepts but that a proxy may have parsed differently (RFC 9112 section 11.2).
 *
 * @returns the error, `malformed-http`, after which the connection closes; undefined if the request is unambiguous.
 */
export function ambiguityOf(request: IncomingMessage): HttpError | undefined {
  const message = ambiguityMessage(request);
  if (message === undefined) return undefined;
  // The following bytes may be part of this request.
  connectionOf(request.socket).isClosing = true;
  return new HttpError(anyRequest['malformed-http'], { message });
}

function ambiguityMessage(request: IncomingMessage): string | undefined {
  const { httpVersionMajor, httpVersion, method, url = '', headers } = request;
  if (method === 'CONNECT') return 'CONNECT is not supported';
  if (httpVersionMajor !== 1) return 'use HTTP/1.1';
  if (url.includes('#')) return 'send the request target without a fragment (RFC 9112, section 3.2)';
  if (url === '*') return 'the request target * is not supported';
  if (headers.authorization?.includes(',') && request.headersDistinct['authorization']?.length !== 1)
    return 'send one Authorization header, not several';
  // Node joins several Host headers with a comma and a space, which a host cannot contain.
  if (headers.host === undefined ? httpVersion === '1.1' : !hostSyntax.test(headers.host))
    return 'send a Host header with a host and an optional port (RFC 9112, section 3.2)';
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (httpVersion !== '1.1' || coding.toLowerCase() !== 'chunked'))
    return 'unsupported Transfer-Encoding: only chunked, in HTTP/1.1, is supported';
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    return 'unsupported expectation: only 100-continue is supported';
  return undefined;
}

/** `charset` has no meaning for `application/json` (RFC 8259 section 11), but another charset than UTF-8 is an error. */
const wrongCharset = /;\s*charset=(?!"?utf-?8"?\s*(?:;|$))/i;

/** Rejects the content headers of a body that is not plain JSON. Sends `100 Continue` when the body is read. */
export const checkContentHeaders: preParsingHookHandler = ({ raw }, reply, payload, done) => {
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

/**
 * Creates a hook that rejects requests with large bodies before they are parsed, for a moment after the application was overloaded.
 * To parse all that are rejected anyway would take the CPU of those that are served.
 */
export function rejectLargeBodies(overloadedAt: () => number): preParsingHookHandler {
  return ({ raw }, _reply, payload, done) => {
    const { 'content-length': length, 'transfer-encoding': coding } = raw.headers;
    // A chunked body may have any length.
    const isLarge = coding !== undefined || Number(length) > LARGE_BODY;
    if (isLarge && performance.now() - overloadedAt() < OVERLOADED_MS) throw new HttpError(anyRequest.overloaded);
    done(null, payload);
  };
}

/** 4 KiB: 40 times a usual plant. */
const LARGE_BODY = 4_096;

/** 100 ms: shorter than the work that waits in an overload, so that none is missing afterwards. */
const OVERLOADED_MS = 100;

declare module 'fastify' {
  interface FastifyRequest {
    /** Called once, when the response is closed. A request has one limit. */
    release: (() => void) | undefined;
  }
}

/** Creates a hook that rejects requests at once, with `overloaded`, while `max` requests are in flight. */
export function limitInFlight(max: number): onRequestHookHandler & preValidationHookHandler {
  let inFlight = 0;
  const release = () => {
    inFlight -= 1;
  };
  return (request, reply, done) => {
    const { socket } = request.raw;
    // The connection was closed during authentication, so there will be no `close` event. Nobody waits for the work.
    if (inFlight >= max || socket.destroyed || reply.raw.destroyed) throw new HttpError(anyRequest.overloaded);
    inFlight += 1;
    request.release = release;
    done();
  };
}
