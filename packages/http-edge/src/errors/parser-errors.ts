import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import { TOO_MANY_CHUNKS } from '../exchange/compact-request.ts';
import { connectionOf, type Exchange, exchangeOf } from '../exchange/exchange.ts';
import { newRequestId } from '../exchange/request-id.ts';
import type { ErrorRecords } from './error-records.ts';
import { type EdgeError, edgeError } from './http-error.ts';
import { endConnection, writeLastHead } from './raw-response.ts';

/** What Node's HTTP parser cannot read gets an Error record, too. */
export interface ParserErrors {
  /** The listener for the server's `clientError` event. */
  readonly onClientError: (error: NodeJS.ErrnoException, socket: Duplex) => void;
  /** Has to be called for every exchange. */
  readonly opened: (exchange: Exchange) => void;
}

/**
 * Responds to what the HTTP parser itself refuses: with exactly one response, after those that earlier requests on the
 * connection are still waiting for, and never with a second one to a request that has been responded to.
 *
 * @param onResponse called for responses that are written without a response object.
 */
export function handleParserErrors(
  server: Server,
  log: FastifyBaseLogger,
  errors: ErrorRecords,
  onResponse: (method: string | undefined, status: number) => void,
): ParserErrors {
  // There is no tunnel here (RFC 9110, section 9.3.6). Without a listener the client would get no response at all.
  server.on('connect', (request, socket) => {
    // Node removes its own listener, and without any a reset would end the process.
    socket.on('error', () => socket.destroy());
    endInTurn(
      socket,
      edgeError('malformed-http', 'CONNECT is not supported'),
      exchangeOf(request).requestId,
      request.method,
    );
  });

  return {
    onClientError,
    opened({ request, connection: { socket, closeAfterResponse } }) {
      // After an Upgrade, Node keeps its parser's errors to itself and would close without a response. All that is known is
      // that the client has sent everything and the request has no end; if it does not even say so, it times out.
      // Nothing behind a last request is looked at, so a connection has one such listener.
      if (request.headers.upgrade === undefined || closeAfterResponse) return;
      socket.prependOnceListener('end', () => {
        if (!request.complete) onClientError(new Error('no end of the request'), socket);
      });
    },
  };

  function onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (isSilence(error, socket) || error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const connection = connectionOf(socket);
    if (connection.isRefused) return;
    connection.isRefused = true;
    const refusal = parserError(error);
    const { latest } = connection;
    // The fault lies in the body of a known request: its response, if it has none yet, is this one.
    const faulty = latest?.request.complete === false ? latest : undefined;
    const requestId = faulty?.requestId ?? newRequestId();
    if (faulty?.response && !faulty.response.headersSent) {
      // Logged with the request.
      const record = errors(refusal.kind, refusal.message);
      faulty.errorNumber = record.error;
      faulty.failureReason = refusal.reason;
      writeLastHead(faulty.response, record);
      faulty.response.end(record.body);
      return;
    }
    if (faulty?.response) inTurn(socket, () => socket.end());
    else endInTurn(socket, refusal, requestId);
  }

  function endInTurn(socket: Duplex, { kind, message, reason }: EdgeError, requestId: string, method?: string): void {
    inTurn(socket, () => {
      const record = errors(kind, message);
      if (!endConnection(socket, record, requestId)) return;
      const { status, error } = record;
      log.info({ reqId: requestId, method, status, error, reason }, 'malformed request rejected');
      onResponse(method, status);
    });
  }
}

/** Ends the connection after the responses that requests on it are still waiting for. */
function inTurn(socket: Duplex, end: () => void): void {
  const { latest } = connectionOf(socket);
  if (latest?.response && !latest.response.writableFinished) latest.afterClose ??= end;
  else end();
}

/**
 * Whether nothing has arrived on the connection for too long. It gets no response: if a request is on its way, the client
 * would take that for the response to it.
 */
function isSilence({ code }: NodeJS.ErrnoException, socket: Duplex): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' && (socket as Socket).bytesRead === 0;
}

/** What a client is told of an error of Node's HTTP parser. The log has its code. */
export function parserError({ code }: { readonly code?: string | undefined }): EdgeError {
  const kind = code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request-timeout' : 'malformed-http';
  const message = messages[code ?? ''] ?? 'the request is not well-formed HTTP';
  return edgeError(kind, message, {}, code === undefined ? message : `${message} (${code})`);
}

const messages: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'the request did not arrive in time',
  HPE_HEADER_OVERFLOW: 'the request line and headers are longer than this service accepts',
  [TOO_MANY_CHUNKS]: 'the body has too many small chunks; send larger ones',
};
