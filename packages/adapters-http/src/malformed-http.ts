import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { commonErrors, fromCode, HttpError } from './errors.ts';
import type { RequestTelemetry } from './telemetry.ts';

/** The latest response of each connection. */
const latest = new WeakMap<Duplex, ServerResponse>();

/** The connections whose further bytes are ignored, because it is ambiguous where a request begins in them. */
const closing = new WeakSet<Duplex>();

/** Whether the requests that still arrive on a connection are to be ignored. */
export function isClosing(socket: Duplex): boolean {
  return closing.has(socket);
}

/** Makes Fastify respond to what Node itself would respond to without an Error record. */
export function handleAllRequests(server: Server): void {
  server.prependListener('request', ({ socket }, response) => latest.set(socket, response));
  // Unknown expectations are rejected like ambiguous requests, and reading the body sends 100 Continue.
  for (const event of ['checkContinue', 'checkExpectation'])
    server.on(event, (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket) => {
    // After this event nobody else listens, and a connection that is reset would end the process.
    socket.on('error', () => {});
    server.emit('clientError', new Error('CONNECT is not supported'), socket);
  });
}

/**
 * Creates Fastify's `clientErrorHandler`. It responds with an Error record to bytes that are no HTTP, and to requests that do not
 * arrive in time, and closes the connection. A complete request before them gets its own response first, and no other one.
 */
export function rejectMalformed(
  telemetry: RequestTelemetry,
): (error: Error & { readonly code?: string }, socket: Duplex) => void {
  return (error, socket) => {
    if (closing.has(socket)) return;
    closing.add(socket);
    const response = latest.get(socket);
    if (response?.req.complete && !response.writableFinished) {
      response.once('finish', () => socket.end());
      return;
    }
    // The latest request is incomplete, so its own body is malformed. Node gives its response the socket when its turn comes.
    const isResponded = response?.req.complete === false && (response.headersSent || !response.socket);
    if (isResponded || !socket.writable || (socket as Socket).bytesRead === 0) return void socket.destroy();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
    const id = randomUUID();
    const httpError = fromCode(error.code);
    socket.end(rawResponse(httpError, id));
    telemetry.rejectedMalformed(id, httpError);
  };
}

/** How long the client may take to read the response before the connection is destroyed. */
const LINGER_MS = 1_000;

function rawResponse({ kind: { status }, record }: HttpError, requestId: string): string {
  const body = JSON.stringify(record);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/**
 * Throws `malformed-http` for a request that Node's parser accepts but that a proxy may have read differently (RFC 9112 section
 * 11.2). The connection then closes after the response, and the bytes that follow are ignored, because they may be part of this request.
 */
export function rejectAmbiguous(request: IncomingMessage): void {
  const message = ambiguityOf(request);
  if (message === undefined) return;
  closing.add(request.socket);
  throw new HttpError(commonErrors['malformed-http'], { message, headers: { connection: 'close' } });
}

/** `Host = uri-host [ ":" port ]` (RFC 9110 section 7.2). Any host is accepted. */
const hostSyntax = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i;

function ambiguityOf(request: IncomingMessage): string | undefined {
  const { httpVersionMajor, httpVersion, url = '', headers } = request;
  if (httpVersionMajor !== 1) return 'use HTTP/1.1';
  if (url.includes('#') || url === '*') return 'send the path as the request target (RFC 9112, section 3.2)';
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
