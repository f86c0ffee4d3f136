import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { exchangeOf } from '../exchange/exchange.ts';
import { requestIdHeader } from '../exchange/request-id.ts';
import { STATUS_CODES } from '../runtime/node-http.ts';
import type { ErrorRecord } from './error-records.ts';
import { retryLater } from './http-error.ts';

/** How long the client has to read the response before the connection is cut off, in milliseconds. */
export const LINGER_MS = 1_000;

/** Writes the head of an Error record that is the last response of its connection, past Fastify; the body must follow. */
export function writeLastHead(
  response: ServerResponse,
  { status, body }: ErrorRecord,
  headers: Readonly<Record<string, string>> = {},
): void {
  const exchange = exchangeOf(response.req);
  response.writeHead(status, { ...lastHeaders(body, exchange.requestId), ...headers });
  exchange.responded();
}

/**
 * Writes an Error record where there is no response object to write it with, and closes the connection.
 *
 * @returns whether the client could still be written to.
 */
export function endConnection(socket: Duplex, { status, body }: ErrorRecord, requestId: string): boolean {
  if (!socket.writable) return false;
  const date = new Date().toUTCString();
  const headers = { date, ...lastHeaders(body, requestId), ...(status === 503 ? retryLater : {}) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  return true;
}

function lastHeaders(body: string, requestId: string): Readonly<Record<string, string | number>> {
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    [requestIdHeader]: requestId,
  };
}
