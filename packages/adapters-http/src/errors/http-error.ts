import { PlantRefused, StoreOverloaded, StoreUnavailable, VerifierUnavailable } from '@plant-store/domain';
import { InvalidJson, InvalidPlant } from '@plant-store/plant-json';
import type { FastifyError } from 'fastify';
import type { ErrorKind } from './catalogue.ts';

/** Makes a request fail with an Error record. The message goes to the client: it holds nothing the client sent but an id. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly kind: ErrorKind;
  /** Headers of the response besides the usual ones, such as `WWW-Authenticate`. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * For the operator, in the request's line in the log: the message, unless that says too little, or something of the
   * body.
   */
  readonly reason: string;

  constructor(
    kind: ErrorKind,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    reason: string = message,
  ) {
    super(message);
    this.kind = kind;
    this.headers = headers;
    this.reason = reason;
  }
}

export function bodyTooLarge(): HttpError {
  return new HttpError('body-too-large', 'the body is larger than this service accepts');
}

/** The headers of a transient failure: the same request may be sent again in a second. */
export const retryLater: Readonly<Record<string, string>> = { 'retry-after': '1' };

/** Maps whatever was thrown to an error response. The one place where errors become HTTP. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof InvalidJson) return new HttpError('malformed-json', `the body is ${error.message}`);
  if (error instanceof InvalidPlant) return new HttpError('not-a-new-plant', error.describe('the body'));
  if (error instanceof StoreOverloaded) {
    return new HttpError('overloaded', 'the store is overloaded; retry the same request', retryLater, error.message);
  }
  if (error instanceof StoreUnavailable) {
    return new HttpError(
      'store-unavailable',
      'the store is unavailable; retry the same request',
      retryLater,
      error.message,
    );
  }
  if (error instanceof PlantRefused) {
    const message = 'the store refuses this plant; sending it again will not help';
    return new HttpError('plant-refused', message, {}, error.message);
  }
  if (error instanceof VerifierUnavailable) {
    const message = 'the token cannot be checked right now; retry the same request';
    return new HttpError('token-check-unavailable', message, retryLater, error.message);
  }
  switch ((error as Partial<FastifyError> | undefined)?.code) {
    // Fastify's own parsers read the bodies of other routes.
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge();
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new HttpError('unsupported-media-type', 'send the body as Content-Type: application/json, in UTF-8');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_BAD_URL':
    case 'ECONNRESET':
      return new HttpError('malformed-http', 'the request is not well-formed HTTP');
    case 'FST_ERR_NOT_FOUND':
      // Node's parser accepts the methods of RTSP, for which Fastify has no routes, not even for a 404.
      return new HttpError('malformed-http', 'use HTTP/1.1', { connection: 'close' });
    default:
      return new HttpError(
        'internal-error',
        'an internal error; its cause is in the log of the service',
        {},
        'the line "internal error" with this reqId has the cause',
      );
  }
}

/** The message of what was thrown, or the thing itself as text. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
