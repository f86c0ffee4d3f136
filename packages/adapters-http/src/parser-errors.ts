import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import { endConnection } from './end-connection.ts';
import { errorBody, writeLastHead } from './error-answer.ts';
import { type FailureKind, statusOf } from './error-catalogue.ts';

/**
 * Gives the errors that the HTTP parser raises itself, before there is a request, an Error record too: exactly one
 * answer, behind those that earlier requests on the connection are still waiting for, and never one behind an answer
 * that the faulty request already has.
 *
 * @returns the listener for the server's `clientError` event.
 */
export function answerParserErrors(
  server: Server,
  log: FastifyBaseLogger,
): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  const latest = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>();
  server.prependListener('request', (request, response) => {
    const { socket } = request;
    latest.set(socket, { request, response });
    // Behind an Upgrade, Node keeps its parser's errors to itself and would close without a word. What is known is that
    // the caller has said all and the request has no end; who does not even say so is answered by the time-out.
    if (request.headers.upgrade !== undefined) {
      socket.prependOnceListener('end', () => {
        if (!request.complete) onClientError(new Error('no end of the request'), socket);
      });
    }
  });

  // There is no tunnel here (RFC 9110, section 9.3.6), and without a listener the caller would get no answer at all.
  server.on('connect', (_request, socket) => {
    // Node takes its own listener away, and without any a reset would end the process.
    socket.on('error', () => socket.destroy());
    endInTurn(socket, 'malformed-http', 'CONNECT is not possible here');
  });

  return onClientError;

  function onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
    const { kind, message } = describe(error);
    if (error.code !== 'ECONNRESET')
      log.info({ status: statusOf(kind), code: error.code }, 'answered what is no request');
    const exchange = latest.get(socket);
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
    } else if (exchange && !exchange.request.complete) {
      // The fault lies in the body of a request that is known: its answer, where it has none yet, is this one.
      if (exchange.response.headersSent) socket.end();
      else answer(exchange.response, kind, message);
    } else {
      endInTurn(socket, kind, message);
    }
  }

  /** Behind the answers that earlier requests on the connection are still waiting for. */
  function endInTurn(socket: Duplex, kind: FailureKind, message: string): void {
    const response = latest.get(socket)?.response;
    if (response && !response.writableFinished) response.once('close', () => endConnection(socket, kind, message));
    else endConnection(socket, kind, message);
  }
}

function describe(error: NodeJS.ErrnoException): { kind: FailureKind; message: string } {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { kind: 'request-timeout', message: 'the request did not arrive in time' };
    case 'HPE_HEADER_OVERFLOW':
      return { kind: 'malformed-http', message: 'the request line and headers are longer than this service accepts' };
    default:
      return { kind: 'malformed-http', message: 'the request is not well-formed HTTP' };
  }
}

function answer(response: ServerResponse, kind: FailureKind, message: string): void {
  const body = errorBody(kind, message);
  writeLastHead(response, statusOf(kind), body);
  response.end(body);
}
