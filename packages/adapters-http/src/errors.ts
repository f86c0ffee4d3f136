import { StoreOverloaded, StoreUnavailable, VerifierUnavailable } from '@plant-store/domain';

/** A kind of error that a client can get. */
export interface ErrorKind {
  /** Its name in the description. */
  readonly name: string;
  /** Its number, which keeps its meaning once it is released. The first three digits are the HTTP status. */
  readonly error: number;
  readonly status: number;
  /** A sentence for the description. */
  readonly meaning: string;
  /** The message if there is none that names what is wrong with the request: the meaning without its full stop. */
  readonly message: string;
}

/** Declares kinds of errors by their names. Each number and meaning also stands in `openapi.json`. */
export function errorKinds<Name extends string>(
  rows: Readonly<Record<Name, readonly [error: number, meaning: string]>>,
): Readonly<Record<Name, ErrorKind>> {
  const kinds = Object.entries<readonly [number, string]>(rows).map(([name, [error, meaning]]) => {
    const message = `${meaning.charAt(0).toLowerCase()}${meaning.slice(1, -1)}`;
    return [name, { name, error, status: Math.floor(error / 100), meaning, message }];
  });
  return Object.fromEntries(kinds);
}

/** The kinds of errors that belong to no single operation. */
export const commonErrors = errorKinds({
  'malformed-json': [40001, 'The body is not valid JSON in UTF-8 (RFC 8259).'],
  'unsupported-media-type': [40003, 'The body is not declared as application/json in UTF-8, or is encoded.'],
  'body-too-large': [40004, 'The body is larger than this service accepts.'],
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

/** An error response. Its message is sent to the client, so it repeats nothing of the request. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly kind: ErrorKind;
  /** Additional response headers, such as `WWW-Authenticate`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The failure reason for the log. It often says more than the message. */
  readonly reason: string;

  constructor(
    kind: ErrorKind,
    {
      message = kind.message,
      headers = {},
      reason = message,
    }: Partial<Pick<HttpError, 'message' | 'headers' | 'reason'>> = {},
  ) {
    super(message);
    this.kind = kind;
    this.headers = kind.status === 503 ? { 'retry-after': '1', ...headers } : headers;
    this.reason = reason;
  }

  /** The Error record of the response body. */
  get record(): { readonly error: number; readonly message: string } {
    return { error: this.kind.error, message: this.message };
  }
}

/** The kinds of the ports' errors, the more specific ones first. The messages of these errors are for the log. */
const kindByPortError = [
  [StoreOverloaded, commonErrors.overloaded],
  [StoreUnavailable, commonErrors['store-unavailable']],
  [VerifierUnavailable, commonErrors['token-check-unavailable']],
] as const;

/** The kinds of errors of Fastify (`FST_`) and of Node's HTTP parser. All others are `malformed-http`. */
const kindByCode: Readonly<Record<string, ErrorKind>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: commonErrors['unsupported-media-type'],
  FST_ERR_MAX_PARAM_LENGTH: commonErrors['no-such-path'],
  ERR_HTTP_REQUEST_TIMEOUT: commonErrors['request-timeout'],
};

/**
 * Maps what was thrown to an error response. Errors of other packages become HTTP only here, or in the operation that alone can
 * get them.
 */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  for (const [thrown, kind] of kindByPortError)
    if (thrown.is(error)) return new HttpError(kind, { reason: error.message });
  const { code = '', statusCode = 500 } = (error ?? {}) as { code?: string; statusCode?: number };
  if (code.startsWith('FST_') && statusCode < 500) return codeToHttpError(code);
  return new HttpError(commonErrors['internal-error'], {
    reason: 'the line "internal error" with this reqId has the cause',
  });
}

/** The error response to what Fastify or Node's HTTP parser rejects, by its code. */
export function codeToHttpError(code = 'unknown'): HttpError {
  const kind = kindByCode[code] ?? commonErrors['malformed-http'];
  return new HttpError(kind, { reason: `${kind.message} (${code})` });
}
