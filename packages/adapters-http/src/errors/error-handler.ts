import { setImmediate, setTimeout } from 'node:timers/promises';
import { exchangeOf, requestIdHeader, sendJson } from '@plant-store/http-edge';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { errorCatalogue, statusOf } from './catalogue.ts';
import { toHttpError } from './http-error.ts';
import { errorBody, LINGER_MS, writeLastHead } from './raw-response.ts';

/** Handles what a request fails with. */
export type ErrorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Makes a handler that responds with an Error record, even while the request's body is still arriving. */
export function errorHandler(log: FastifyBaseLogger): ErrorHandler {
  return (error, request, reply) => handleError(error, request, reply, log);
}

async function handleError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: FastifyBaseLogger,
): Promise<FastifyReply> {
  const httpError = toHttpError(error);
  const status = statusOf(httpError.kind);
  const exchange = exchangeOf(request.raw);
  exchange.errorNumber = errorCatalogue[httpError.kind].error;
  exchange.failureReason = httpError.reason;
  const { errorNumber, failureReason: reason } = exchange;
  // Only a defect has a line besides the request's, with its stack: in an outage there are as many 503s as requests.
  if (status === 500) log.error({ reqId: request.id, err: error }, 'internal error');
  // Its own line, `request aborted`, is written already, without the error.
  else if (status === 503 && !exchange.isOpen)
    log.warn({ reqId: request.id, error: errorNumber, reason }, 'request failed after its connection was closed');

  // A body that came in one piece with its headers has been read by the next turn of the event loop.
  if (!request.raw.complete) await setImmediate();
  // In the meantime the rest of the body may have been malformed, or timed out, and the request responded to.
  if (reply.raw.headersSent) return reply.hijack();
  const body = errorBody(httpError.kind, httpError.message);
  // For a method that Fastify does not know, no hook has set it.
  reply.header(requestIdHeader, request.id);
  if (request.raw.complete) {
    // Fastify closes the connection after every body that cannot be parsed; this one was read to its end.
    reply.header('connection', reply.raw.shouldKeepAlive ? 'keep-alive' : 'close');
    return sendJson(reply.code(status).headers(httpError.headers), body);
  }
  await respondBeforeEndOfBody(request, reply, status, httpError.headers, body);
  return reply;
}

/**
 * The client has the whole response at once, but the connection is closed only after the rest of the body was read and
 * discarded, for a while: closed at once, the response could be lost to a reset (RFC 9112, section 9.6).
 */
async function respondBeforeEndOfBody(
  { raw: request }: FastifyRequest,
  reply: FastifyReply,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<void> {
  exchangeOf(request).connection.closeAfterResponse = true;
  writeLastHead(reply.raw, status, body, headers);
  reply.hijack();
  reply.raw.write(body);
  request.resume();
  const rest = new Promise<void>((resolve) => request.once('end', resolve).once('close', resolve));
  await Promise.race([rest, setTimeout(LINGER_MS, undefined, { ref: false })]);
  reply.raw.end();
}
