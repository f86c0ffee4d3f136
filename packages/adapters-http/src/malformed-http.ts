import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { closing, latest } from './admission.ts';
import { codeToHttpError, type HttpError } from './errors.ts';
import type { Telemetry } from './telemetry.ts';

/** Makes Fastify respond to what Node itself would respond to without an Error record. */
export function handleAllRequests(server: Server): void {
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
  telemetry: Telemetry,
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
    const httpError = codeToHttpError(error.code);
    socket.end(formatResponse(httpError, id));
    telemetry.rejectedMalformed(id, httpError);
  };
}

/** How long the client may take to read the response before the connection is destroyed. */
const LINGER_MS = 1_000;

function formatResponse({ kind: { status }, record }: HttpError, requestId: string): string {
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
