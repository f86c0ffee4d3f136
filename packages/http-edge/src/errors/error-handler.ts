import { setImmediate, setTimeout } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { exchangeOf } from '../exchange/exchange.ts';
import { requestIdHeader } from '../exchange/request-id.ts';
import { sendJson } from '../reply/send.ts';
import type { ErrorRecord, ErrorRecords } from './error-records.ts';
import type { HttpError } from './http-error.ts';
import { LINGER_MS, writeLastHead } from './raw-response.ts';

/** Handles what a request fails with. */
export type ErrorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/**
 * Makes a handler that responds with an Error record, even while the request's body is still arriving.
 *
 * @param toHttpError what the client is told of whatever was thrown.
 */
export function errorHandler(
  log: FastifyBaseLogger,
  errors: ErrorRecords,
  toHttpError: (error: unknown) => HttpError,
): ErrorHandler {
  return async (error, request, reply) => {
    const { kind, message, headers, reason } = toHttpError(error);
    const record = errors(kind, message);
    const { status } = record;
    const exchange = exchangeOf(request.raw);
    exchange.errorNumber = record.error;
    exchange.failureReason = reason;
    // Only a defect has a line besides the request's, with its stack: in an outage there are as many 503s as requests.
    if (status === 500) log.error({ reqId: request.id, err: error }, 'internal error');
    // Its own line, `request aborted`, is written already, without the error.
    else if (status === 503 && !exchange.isOpen)
      log.warn({ reqId: request.id, error: record.error, reason }, 'request failed after its connection was closed');

    // A body that came in one piece with its headers has been read by the next turn of the event loop.
    if (!request.raw.complete) await setImmediate();
    // In the meantime the rest of the body may have been malformed, or timed out, and the request responded to.
    if (reply.raw.headersSent) return reply.hijack();
    // For a method that Fastify does not know, no hook has set it.
    reply.header(requestIdHeader, request.id);
    if (request.raw.complete) {
      // Fastify closes the connection after every body that cannot be parsed; this one was read to its end.
      reply.header('connection', reply.raw.shouldKeepAlive ? 'keep-alive' : 'close');
      return sendJson(reply.code(status).headers(headers), record.body);
    }
    await respondBeforeEndOfBody(request, reply, record, headers);
    return reply;
  };
}

/**
 * The client has the whole response at once, but the connection is closed only after the rest of the body was read and
 * discarded, for a while: closed at once, the response could be lost to a reset (RFC 9112, section 9.6).
 */
async function respondBeforeEndOfBody(
  { raw: request }: FastifyRequest,
  reply: FastifyReply,
  record: ErrorRecord,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  exchangeOf(request).connection.closeAfterResponse = true;
  writeLastHead(reply.raw, record, headers);
  reply.hijack();
  reply.raw.write(record.body);
  // A response to HEAD has no body that would bring its head along.
  reply.raw.flushHeaders();
  request.resume();
  const rest = new Promise<void>((resolve) => request.once('end', resolve).once('close', resolve));
  await Promise.race([rest, setTimeout(LINGER_MS, undefined, { ref: false })]);
  reply.raw.end();
}
