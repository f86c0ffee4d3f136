import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type HttpError, toHttpError } from './errors.ts';
import { connectionOf } from './node-server.ts';
import { type RequestTelemetry, requestId } from './telemetry.ts';

/** How long the client may take to read the response before the connection is destroyed, in milliseconds. */
const LINGER_MS = 1_000;

/**
 * Creates Fastify's `clientErrorHandler`. It responds to malformed HTTP with an Error record, unless responses to earlier requests
 * are pending, and closes the connection. A request never gets two responses.
 */
export function rejectMalformed(
  telemetry: RequestTelemetry,
): (error: Error & { readonly code?: string }, socket: Duplex) => void {
  return (error, socket) => {
    const connection = connectionOf(socket);
    // Bytes after the last request are ignored.
    if (connection.isClosing || error.code === 'HPE_CLOSED_CONNECTION') return;
    connection.isClosing = true;
    const [response, ...others] = connection.unfinished;
    const isPending = response?.req.complete || others.length > 0;
    const hasLeft = error.code === 'ECONNRESET' || !socket.writable;
    // A connection that has sent nothing timed out.
    if (isPending || hasLeft || (socket as Socket).bytesRead === 0) return void socket.destroy();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
    if (response?.headersSent) return void socket.end();
    // A malformed body belongs to the only request, whose response this is.
    const id = response ? requestId(response.req) : randomUUID();
    const httpError = toHttpError(error, undefined, true);
    socket.end(rawResponse(httpError, id));
    telemetry.rejectedMalformed(id, httpError);
  };
}

function rawResponse({ status, record, headers }: HttpError, requestId: string): string {
  const body = JSON.stringify(record);
  const fields = {
    Date: new Date().toUTCString(),
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    Connection: 'close',
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
