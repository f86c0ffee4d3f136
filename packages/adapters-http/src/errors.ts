import { StoreOverloaded, StoreUnavailable, VerifierUnavailable } from '@plant-store/domain';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { InvalidJson } from './json.ts';

/** A kind of error that a client can get. */
export interface ErrorKind {
  /** Its name in the description. */
  readonly name: string;
  /** Its number, which never changes and is never used again. The first three digits are the HTTP status. */
  readonly error: number;
  /** A sentence for the description. Without its full stop it is the message, unless there is a more specific one. */
  readonly meaning: string;
  /** An example of a message that names what is wrong with the request. */
  readonly example?: string;
}

/** Declares kinds of errors by their names. */
export function errorKinds<Name extends string>(
  rows: Readonly<Record<Name, readonly [error: number, meaning: string, example?: string]>>,
): Readonly<Record<Name, ErrorKind>> {
  const kinds = Object.entries<readonly [number, string, string?]>(rows).map(([name, [error, meaning, example]]) => [
    name,
    { name, error, meaning, ...(example && { example }) },
  ]);
  return Object.fromEntries(kinds);
}

/** The kinds of errors that any request can get. */
export const anyRequest = errorKinds({
  'malformed-http': [40006, 'The request is not well-formed HTTP/1.1, or is ambiguous.'],
  'request-timeout': [40007, 'The request did not arrive in time.'],
  'missing-token': [40101, 'The request has no bearer token: send an Authorization header with one.'],
  'token-not-accepted': [40102, 'The bearer token is not accepted.'],
  'no-such-path': [40401, 'Path not found.'],
  'method-not-allowed': [40501, 'The path exists, but not with this method; see Allow.'],
  'too-many-requests': [42901, "More requests a second than the token's limit."],
  'internal-error': [50001, 'A defect of the service; its log has the cause.'],
  'store-unavailable': [50301, 'The store cannot respond in time; retry the same request.'],
  overloaded: [50302, 'The service is overloaded; retry the same request.'],
  'token-check-unavailable': [50304, 'The token cannot be checked right now; retry the same request.'],
});

/** The kinds of errors that any request with a body can get. */
export const anyBody = errorKinds({
  'malformed-json': [40001, 'The body is not valid JSON in UTF-8 (RFC 8259).', 'the body is not valid JSON: column 9'],
  'unsupported-media-type': [40003, 'The body is not declared as application/json in UTF-8, or is encoded.'],
  'body-too-large': [40004, 'The body is larger than this service accepts.'],
});

/** The message for the client if there is nothing more specific: the meaning of the kind. */
export function defaultMessage({ meaning }: ErrorKind): string {
  return `${meaning.charAt(0).toLowerCase()}${meaning.slice(1, -1)}`;
}

/** The HTTP status of a kind. */
export function statusOf({ error }: ErrorKind): number {
  return Math.floor(error / 100);
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
    return { error: this.kind.error, message: this.message };
  }
}

/** The kinds of the errors that any port throws, the more specific ones first. The messages of these errors are for the log. */
const kindByPortError = [
  [StoreOverloaded, anyRequest.overloaded],
  [StoreUnavailable, anyRequest['store-unavailable']],
  [VerifierUnavailable, anyRequest['token-check-unavailable']],
] as const;

/** The kinds of errors of Fastify (`FST_`), Node's HTTP parser and `node-server.ts`. All others are `malformed-http`. */
const kindByCode: Readonly<Record<string, readonly [ErrorKind, message?: string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [anyBody['body-too-large']],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    anyBody['unsupported-media-type'],
    'Content-Type must be application/json, with or without parameters (RFC 9110, section 8.3.1)',
  ],
  FST_ERR_NOT_FOUND: [anyRequest['no-such-path']],
  FST_ERR_MAX_PARAM_LENGTH: [anyRequest['no-such-path']],
  CHUNK_LIMIT: [anyBody['body-too-large'], 'the body has too many small chunks; send larger ones'],
  ERR_HTTP_REQUEST_TIMEOUT: [anyRequest['request-timeout']],
  HPE_HEADER_OVERFLOW: [
    anyRequest['malformed-http'],
    'the request line and headers are longer than this service accepts',
  ],
};

/**
 * Maps any thrown value to an error response. Errors of other packages become HTTP only here, or in the operation that alone can
 * get them.
 *
 * @param invalid the kind of a request that does not match the schema of its operation.
 * @param isFromConnection whether the client's connection failed. A lost connection to anything else is a defect.
 */
export function toHttpError(error: unknown, invalid?: ErrorKind, isFromConnection = false): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof InvalidJson)
    return new HttpError(anyBody['malformed-json'], { message: `the body is ${error.message}` });
  if (invalid && hasZodFastifySchemaValidationErrors(error)) {
    // Of a parameter zod may report several errors. The last one is enough.
    const faults = new Map(error.validation.map(({ instancePath, message }) => [instancePath.slice(1), message]));
    const whole = error.validationContext === 'querystring' ? 'the query' : 'the body';
    const message = [...faults].map(([field, fault]) => `${field || whole} ${fault}`).join('; ');
    return new HttpError(invalid, { message });
  }
  for (const [thrown, kind] of kindByPortError)
    if (thrown.is(error)) return new HttpError(kind, { reason: error.message });
  const { code = '', statusCode = 500 } = (error ?? {}) as { code?: string; statusCode?: number };
  if (!isFromConnection && !(code.startsWith('FST_') && statusCode < 500))
    return new HttpError(anyRequest['internal-error'], {
      reason: 'the line "internal error" with this reqId has the cause',
    });
  const [kind, message = defaultMessage(kind)] = kindByCode[code] ?? [anyRequest['malformed-http']];
  return new HttpError(kind, { message, reason: `${message} (${code})` });
}
