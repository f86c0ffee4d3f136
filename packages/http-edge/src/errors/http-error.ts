import type { FastifyError } from 'fastify';
import type { EdgeErrorKind } from './error-records.ts';

/** Makes a request fail with an Error record. The message goes to the client: it holds nothing the client sent but an id. */
export class HttpError<Kind extends string = string> extends Error {
  override readonly name = 'HttpError';
  readonly kind: Kind;
  /** Headers of the response besides the usual ones, such as `WWW-Authenticate`. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * For the operator, in the request's line in the log: the message, unless that says too little, or something of the
   * body.
   */
  readonly reason: string;

  constructor(kind: Kind, message: string, headers: Readonly<Record<string, string>> = {}, reason: string = message) {
    super(message);
    this.kind = kind;
    this.headers = headers;
    this.reason = reason;
  }
}

/** What the edge throws. */
export type EdgeError = HttpError<EdgeErrorKind>;

export function edgeError(...args: ConstructorParameters<typeof HttpError<EdgeErrorKind>>): EdgeError {
  return new HttpError(...args);
}

export function bodyTooLarge(): EdgeError {
  return edgeError('body-too-large', 'the body is larger than this service accepts');
}

/** The headers of a transient failure: the same request may be sent again in a second. */
export const retryLater: Readonly<Record<string, string>> = { 'retry-after': '1' };

/** What Fastify throws, and whatever nobody knows: an internal error. */
export function fromFastify(error: unknown): EdgeError {
  switch ((error as Partial<FastifyError> | undefined)?.code) {
    // Fastify's own parsers read the bodies of other routes.
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge();
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return edgeError('unsupported-media-type', 'send the body as Content-Type: application/json, in UTF-8');
    case 'FST_ERR_BAD_URL':
    case 'ECONNRESET':
      return edgeError('malformed-http', 'the request is not well-formed HTTP');
    case 'FST_ERR_NOT_FOUND':
      // Node's parser accepts the methods of RTSP, for which Fastify has no routes, not even for a 404.
      return edgeError('malformed-http', 'use HTTP/1.1', { connection: 'close' });
    default:
      return edgeError(
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
