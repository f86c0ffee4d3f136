import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import { newRequestId, requestIdOf } from '../exchange/request-id.ts';
import { type FailureKind, statusOf } from './catalogue.ts';
import { endConnection } from './end-connection.ts';
import { errorBody, writeLastHead } from './error-handler.ts';

/**
 * Gives the errors that the HTTP parser raises itself, before there is a request, an Error record too: exactly one
 * answer, behind those that earlier requests on the connection are still waiting for, and never one behind an answer
 * that the faulty request already has.
 *
 * @param onAnswer is told of the answers that are written where there is no response to write them with.
 * @returns the listener for the server's `clientError` event.
 */
export function answerParserErrors(
  server: Server,
  log: FastifyBaseLogger,
  onAnswer: (method: string | undefined, status: number) => void,
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
  server.on('connect', (request, socket) => {
    // Node takes its own listener away, and without any a reset would end the process.
    socket.on('error', () => socket.destroy());
    const id = requestIdOf(request);
    log.info({ reqId: id, method: request.method, status: statusOf('malformed-http') }, 'answered');
    endInTurn(socket, 'malformed-http', 'CONNECT is not possible here', id, request.method);
  });

  return onClientError;

  function onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
    const { kind, message } = describe(error);
    const exchange = latest.get(socket);
    const faulty = exchange && !exchange.request.complete ? exchange.request : undefined;
    const id = faulty ? requestIdOf(faulty) : newRequestId();
    if (error.code !== 'ECONNRESET')
      log.info({ reqId: id, status: statusOf(kind), code: error.code }, 'answered what is no request');
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
    } else if (exchange && !exchange.request.complete) {
      // The fault lies in the body of a request that is known: its answer, where it has none yet, is this one.
      if (exchange.response.headersSent) socket.end();
      else answer(exchange.response, kind, message);
    } else {
      endInTurn(socket, kind, message, id);
    }
  }

  /** Behind the answers that earlier requests on the connection are still waiting for. */
  function endInTurn(socket: Duplex, kind: FailureKind, message: string, id: string, method?: string): void {
    const endNow = () => {
      if (endConnection(socket, kind, message, id)) onAnswer(method, statusOf(kind));
    };
    const response = latest.get(socket)?.response;
    if (response && !response.writableFinished) response.once('close', endNow);
    else endNow();
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
