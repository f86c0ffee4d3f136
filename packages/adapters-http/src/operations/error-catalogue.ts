import { StoreOverloaded, StoreUnavailable, VerifierUnavailable } from '@plant-store/domain';
import {
  bodyTooLarge,
  type CatalogueEntry,
  notFound,
  parserError,
  requireJson,
  statusOf,
} from '@plant-store/http-edge';
import { parseJson } from '@plant-store/plant-json';
import { toHttpError } from '../to-http-error.ts';
import { missingToken, tokenNotAccepted } from './authenticate.ts';
import { rateLimitExceeded } from './rate-limit.ts';

/** A kind of error that a client can get. Its number never changes, and is never used again. */
export interface ErrorKind extends CatalogueEntry {
  /** A message that a client gets, made by the code that sends it. */
  readonly example: string;
}

/** Kinds of errors by their names. */
export type ErrorKinds = Readonly<Record<string, ErrorKind>>;

/** @param cause an error of this kind, or what throws one. */
export function errorKind(error: number, meaning: string, cause: Error | (() => unknown)): ErrorKind {
  let thrown: unknown = cause;
  try {
    if (typeof cause === 'function') cause();
  } catch (fault) {
    thrown = fault;
  }
  return { error, meaning, example: toHttpError(thrown).message };
}

/** The errors that a client of any operation can get. */
export const ofEveryOperation = {
  'malformed-http': errorKind(
    40006,
    'The request is not well-formed HTTP/1.1, or is ambiguous.',
    parserError({ code: 'HPE_INVALID_METHOD' }),
  ),
  'request-timeout': errorKind(
    40007,
    'The request did not arrive in time.',
    parserError({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
  ),
  'missing-token': errorKind(40101, 'The request has no bearer token.', missingToken()),
  'token-not-accepted': errorKind(40102, 'The bearer token is not accepted.', tokenNotAccepted()),
  // A client with a wrong base address can read what it gets.
  'no-such-path': errorKind(40401, 'Path not found.', notFound([])),
  'method-not-allowed': errorKind(40501, 'The path exists, but not with this method; see Allow.', notFound(['POST'])),
  'too-many-requests': errorKind(42901, "More requests a second than the token's limit.", rateLimitExceeded(10)),
  'internal-error': errorKind(50001, 'A defect of the service; its log has the cause.', new TypeError()),
  'store-unavailable': errorKind(
    50301,
    'The store cannot respond in time. It is safe to retry the same request.',
    new StoreUnavailable(''),
  ),
  overloaded: errorKind(
    50302,
    'The service is overloaded. It is safe to retry the same request.',
    new StoreOverloaded(''),
  ),
  'token-check-unavailable': errorKind(
    50304,
    'The token cannot be checked right now. It is safe to retry the same request.',
    new VerifierUnavailable(''),
  ),
};

/** Those besides that only a request with a body can get. */
export const ofEveryBody = {
  'malformed-json': errorKind(40001, 'The body is not valid JSON in UTF-8 (RFC 8259).', () =>
    parseJson(Buffer.from('{')),
  ),
  'unsupported-media-type': errorKind(
    40003,
    'The body is not declared as application/json in UTF-8, or is encoded.',
    () => requireJson({}),
  ),
  'body-too-large': errorKind(40004, 'The body is larger than this service accepts.', bodyTooLarge()),
};

/** What of an operation tells its errors. */
interface WithErrors {
  readonly body?: unknown;
  readonly errors: ErrorKinds;
}

/** Every kind of error that a client of the operation can get, in the order of their numbers. */
export function errorsOf({ body, errors }: WithErrors): ErrorKinds {
  return inOrder({ ...ofEveryOperation, ...(body ? ofEveryBody : {}), ...errors });
}

/** Every kind of error that a client of any of the operations can get. */
export function catalogueOf(
  operations: readonly WithErrors[],
): ErrorKinds & typeof ofEveryOperation & typeof ofEveryBody {
  return inOrder(Object.assign({}, ofEveryOperation, ofEveryBody, ...operations.map(({ errors }) => errors)));
}

function inOrder<Kinds extends ErrorKinds>(kinds: Kinds): Kinds {
  return Object.fromEntries(
    Object.entries(kinds).toSorted(([, one], [, other]) => one.error - other.error),
  ) as ErrorKinds as Kinds;
}

/** The kinds of each status, as text. */
export function byStatus(kinds: ErrorKinds): ReadonlyMap<string, readonly (readonly [string, ErrorKind])[]> {
  return Map.groupBy(Object.entries(kinds), ([, kind]) => String(statusOf(kind)));
}
