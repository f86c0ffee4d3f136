import type { ServerResponse } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { StoreOverloaded, StoreUnavailable, VerifierUnavailable } from '@plant-store/domain';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { answered } from '../exchange/answered.ts';
import { endAfterThisRequest } from '../exchange/last-request.ts';
import { noteReason } from '../exchange/noted-reason.ts';
import { requestIdHeader, requestIdOf } from '../exchange/request-id.ts';
import { sendJson } from '../reply/json.ts';
import { errorCatalogue, type FailureKind, statusOf } from './catalogue.ts';
import { reasonOf } from './error-message.ts';
import { RequestFailure, retrySoon } from './http-error.ts';

/** How long a connection stays open for the rest of a body that nobody wants, so that the answer is not lost. */
const LINGER_MS = 1_000;

/** The Error record of the interface, as bytes go out. */
export function errorBody(kind: FailureKind, message: string): string {
  return JSON.stringify({ error: errorCatalogue[kind].error, message });
}

/** Writes the head of an Error record that is the last answer of its connection, past Fastify; the body has to follow. */
export function writeLastHead(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    [requestIdHeader]: requestIdOf(response.req),
    ...headers,
  });
  answered(response);
}

/** Turns whatever was thrown into the failure that the caller is told of. The one place where errors become HTTP. */
function toFailure(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error;
  if (error instanceof StoreOverloaded) {
    return new RequestFailure(
      'overloaded',
      'the store has too much to do right now; send the same request again',
      retrySoon,
    );
  }
  if (error instanceof StoreUnavailable) {
    return new RequestFailure(
      'store-unavailable',
      'the store cannot answer right now; send the same request again',
      retrySoon,
    );
  }
  if (error instanceof VerifierUnavailable) {
    return new RequestFailure(
      'token-check-unavailable',
      'the token cannot be checked right now; send the same request again',
      retrySoon,
    );
  }
  switch ((error as Partial<FastifyError> | undefined)?.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new RequestFailure('body-too-large', 'the body is larger than this service accepts');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new RequestFailure('unsupported-media-type', 'send the body as Content-Type: application/json, in UTF-8');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_BAD_URL':
    case 'ECONNRESET':
      return new RequestFailure('malformed-http', 'the request is not well-formed HTTP');
    case 'FST_ERR_NOT_FOUND':
      // Node's parser lets the methods of RTSP pass, for which Fastify has no routes, not even for a 404.
      return new RequestFailure('malformed-http', 'speak HTTP/1.1', { connection: 'close' });
    default:
      return new RequestFailure('internal-error', 'an internal error; its cause is in the log of the service');
  }
}

/** Answers a request with an Error record, also when its body is still on its way. */
export async function answerWithError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const failure = toFailure(error);
  const status = statusOf(failure.kind);
  noteReason(request, failure.reason);
  if (status === 500) request.log.error({ reqId: request.id, err: error }, 'internal error');
  // One line without a stack: in an outage there are as many of these as requests.
  else if (status === 503) request.log.warn({ reqId: request.id, reason: reasonOf(error) }, 'answered 503');

  // A body that came in one piece with its headers has been read by the next turn of the event loop.
  if (!request.raw.complete) await setImmediate();
  // In the meantime the rest of the body may have turned out to be malformed, or not to come, and have been answered.
  if (reply.raw.headersSent) return reply.hijack();
  const body = errorBody(failure.kind, failure.message);
  // A target that cannot be decoded is answered before any hook was called.
  reply.header(requestIdHeader, request.id);
  if (request.raw.complete) {
    // Fastify closes the connection behind every body that cannot be parsed; this one was read to its end.
    reply.header('connection', reply.raw.shouldKeepAlive ? 'keep-alive' : 'close');
    return sendJson(reply.code(status).headers(failure.headers), body);
  }
  await answerBeforeTheEndOfTheBody(request, reply, status, failure.headers, body);
  return reply;
}

/**
 * The answer is complete for the caller at once, but the connection is closed only after the rest of the body was read
 * and thrown away, for a while: closed at once, the answer could be lost to a reset (RFC 9112, section 9.6).
 */
async function answerBeforeTheEndOfTheBody(
  { raw: request }: FastifyRequest,
  reply: FastifyReply,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<void> {
  reply.hijack();
  endAfterThisRequest(request.socket);
  writeLastHead(reply.raw, status, body, headers);
  reply.raw.write(body);
  request.resume();
  const rest = new Promise<void>((resolve) => request.once('end', resolve).once('close', resolve));
  await Promise.race([rest, setTimeout(LINGER_MS, undefined, { ref: false })]);
  reply.raw.end();
}
