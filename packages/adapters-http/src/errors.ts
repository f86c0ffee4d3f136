import { PlantRefused, StoreOverloaded, StoreUnavailable, VerifierUnavailable } from '@plant-store/domain';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { InvalidJson } from './json.ts';

/**
 * Every kind of error that a client can get, with its number and meaning. A number never changes and is never reused. Its first
 * three digits are the HTTP status.
 */
export const errorCatalogue = {
  'malformed-json': [40001, 'The body is not valid JSON in UTF-8 (RFC 8259).'],
  'not-a-new-plant': [40002, 'The body is JSON, but not a NewPlant; the message names every invalid field.'],
  'unsupported-media-type': [40003, 'The body is not declared as application/json in UTF-8, or is encoded.'],
  'body-too-large': [40004, 'The body is larger than this service accepts.'],
  'id-taken': [40005, 'The id is taken by another plant, which is unchanged: choose another id.'],
  'malformed-http': [40006, 'The request is not well-formed HTTP/1.1, or is ambiguous.'],
  'request-timeout': [40007, 'The request did not arrive in time.'],
  'plant-refused': [40008, 'The store refuses this plant; sending it again will not help.'],
  'missing-token': [40101, 'The request has no bearer token: send an Authorization header with one.'],
  'token-not-accepted': [40102, 'The bearer token is not accepted.'],
  'no-such-path': [40401, 'Path not found.'],
  'method-not-allowed': [40501, 'The path exists, but not with this method; see Allow.'],
  'too-many-requests': [42901, "More requests a second than the token's limit."],
  'internal-error': [50001, 'A defect of the service; its log has the cause.'],
  'store-unavailable': [50301, 'The store cannot respond in time; retry the same request.'],
  overloaded: [50302, 'The service is overloaded; retry the same request.'],
  'token-check-unavailable': [50304, 'The token cannot be checked right now; retry the same request.'],
} as const satisfies Readonly<Record<string, readonly [error: number, meaning: string]>>;

/** The name of a kind of error in {@link errorCatalogue}. */
export type ErrorKind = keyof typeof errorCatalogue;

/** The message for the client if there is nothing more specific: the meaning of the kind. */
export function defaultMessage(kind: ErrorKind): string {
  const [, meaning] = errorCatalogue[kind];
  return `${meaning.charAt(0).toLowerCase()}${meaning.slice(1, -1)}`;
}

/** The HTTP status of a kind: the first three digits of its number. */
export function statusOf(kind: ErrorKind): number {
  return Math.floor(errorCatalogue[kind][0] / 100);
}

/** An error response. Its message is sent to the client, so it repeats nothing of the request but an id. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly kind: ErrorKind;
  /** Additional response headers, such as `WWW-Authenticate`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The failure reason for the log. It often says more than the message. */
  readonly reason: string;

  constructor(
    kind: ErrorKind,
    { message = defaultMessage(kind), headers = {}, reason = message }: Partial<Omit<HttpError, 'kind'>> = {},
  ) {
    super(message);
    this.kind = kind;
    this.headers = this.status === 503 ? { 'retry-after': '1', ...headers } : headers;
    this.reason = reason;
  }

  get status(): number {
    return statusOf(this.kind);
  }

  /** The Error record of the response body. */
  get record(): { readonly error: number; readonly message: string } {
    return { error: errorCatalogue[this.kind][0], message: this.message };
  }
}

/** The kinds of the errors that the ports throw, the more specific ones first. The messages of these errors are for the log. */
const kindByPortError = [
  [StoreOverloaded, 'overloaded'],
  [StoreUnavailable, 'store-unavailable'],
  [PlantRefused, 'plant-refused'],
  [VerifierUnavailable, 'token-check-unavailable'],
] as const;

/** The kinds of errors of Fastify (`FST_`), Node's HTTP parser and `node-server.ts`. All others are `malformed-http`. */
const kindByCode: Readonly<Record<string, readonly [ErrorKind, message?: string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body-too-large'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported-media-type',
    'Content-Type must be application/json, with or without parameters (RFC 9110, section 8.3.1)',
  ],
  FST_ERR_NOT_FOUND: ['no-such-path'],
  CHUNK_LIMIT: ['body-too-large', 'the body has too many small chunks; send larger ones'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request-timeout'],
  HPE_HEADER_OVERFLOW: ['malformed-http', 'the request line and headers are longer than this service accepts'],
};

/**
 * Maps any thrown value to an error response. Errors of other packages become HTTP only here.
 *
 * @param isFromConnection whether the client's connection failed. A lost connection to anything else is a defect.
 */
export function toHttpError(error: unknown, isFromConnection = false): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof InvalidJson) return new HttpError('malformed-json', { message: `the body is ${error.message}` });
  if (hasZodFastifySchemaValidationErrors(error)) {
    // Zod reports several errors of a field. The last one is enough.
    const faults = new Map(error.validation.map(({ instancePath, message }) => [instancePath.slice(1), message]));
    const message = [...faults].map(([field, fault]) => `${field || 'the body'} ${fault}`).join('; ');
    return new HttpError('not-a-new-plant', { message });
  }
  for (const [thrown, kind] of kindByPortError)
    if (thrown.is(error)) return new HttpError(kind, { reason: error.message });
  const { code = '', statusCode = 500 } = (error ?? {}) as { code?: string; statusCode?: number };
  if (!isFromConnection && !(code.startsWith('FST_') && statusCode < 500))
    return new HttpError('internal-error', { reason: 'the line "internal error" with this reqId has the cause' });
  const [kind, message = defaultMessage(kind)] = kindByCode[code] ?? ['malformed-http'];
  return new HttpError(kind, { message, reason: `${message} (${code})` });
}
