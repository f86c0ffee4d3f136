import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type HttpError, toHttpError } from './errors.ts';
import { connectionOf } from './node-server.ts';
import { type RequestTelemetry, requestId } from './telemetry.ts';

/** How long the client has to read the response before the connection is cut off, in milliseconds. */
const LINGER_MS = 1_000;

/**
 * Makes Fastify's `clientErrorHandler`: an Error record for what Node's HTTP parser refuses, as the last response of its
 * connection. It comes after the responses to earlier requests, and never as a second response to one.
 */
export function refuseMalformed(
  telemetry: RequestTelemetry,
): (error: Error & { readonly code?: string }, socket: Duplex) => void {
  return (error, socket) => {
    const connection = connectionOf(socket);
    // What comes behind the last request of a connection is not looked at.
    if (connection.isRefused || error.code === 'HPE_CLOSED_CONNECTION') return;
    connection.isRefused = true;
    // Nobody is there any more, or nothing was asked for.
    if (error.code === 'ECONNRESET' || (socket as Socket).bytesRead === 0) return void socket.destroy();
    // If the fault lies in a body, this is the response to its request, unless that has one.
    const { latest, unfinished } = connection;
    const faulty = latest?.req.complete === false && !latest.writableFinished ? latest : undefined;
    if (latest && unfinished.size > (faulty ? 1 : 0)) latest.once('close', respond);
    else respond();

    function respond(): void {
      if (!socket.writable) return;
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
      if (latest?.req.complete === false && latest.headersSent) return void socket.end();
      const failure = toHttpError(error, true);
      const id = faulty ? requestId(faulty.req) : randomUUID();
      socket.end(text(failure, id));
      telemetry.malformed(id, failure);
    }
  };
}

function text({ status, record, headers }: HttpError, requestId: string): string {
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
