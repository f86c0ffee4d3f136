import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { requestIdHeader } from '../exchange/request-id.ts';
import { type FailureKind, statusOf } from './catalogue.ts';
import { errorBody } from './error-handler.ts';
import { retrySoon } from './http-error.ts';

/** How long the caller has to read the answer before the connection is cut off. */
const LINGER_MS = 1_000;

/**
 * Writes an Error record where there is no response object to write it with, and closes the connection.
 *
 * @returns whether there was anybody left to write to.
 */
export function endConnection(socket: Duplex, kind: FailureKind, message: string, requestId: string): boolean {
  if (!socket.writable) return false;
  const status = statusOf(kind);
  const body = errorBody(kind, message);
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    [requestIdHeader]: requestId,
    ...(status === 503 ? retrySoon : {}),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  return true;
}
