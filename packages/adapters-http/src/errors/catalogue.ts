import type { ErrorCatalogue } from '@plant-store/http-edge';

/**
 * Every kind of error that a client can get, with the number in the Error record's `error` field. Numbers never change:
 * status × 100 + a counter. A new kind gets a new number; a number is never reused.
 */
export const errorCatalogue = {
  'malformed-json': { error: 40001, meaning: 'The body is not valid JSON in UTF-8 (RFC 8259).' },
  'not-a-new-plant': {
    error: 40002,
    meaning: 'The body is JSON, but not a NewPlant; the message names every invalid field.',
  },
  'unsupported-media-type': {
    error: 40003,
    meaning: 'The body is not declared as application/json in UTF-8, or is encoded.',
  },
  'body-too-large': { error: 40004, meaning: 'The body is larger than this service accepts.' },
  'id-taken': { error: 40005, meaning: 'A plant with other values has the id. It is unchanged.' },
  'malformed-http': { error: 40006, meaning: 'The request is not well-formed HTTP/1.1, or is ambiguous.' },
  'request-timeout': { error: 40007, meaning: 'The request did not arrive in time.' },
  'plant-refused': { error: 40008, meaning: 'The store refuses this plant; sending it again will not help.' },
  'missing-token': { error: 40101, meaning: 'The request has no bearer token.' },
  'token-not-accepted': { error: 40102, meaning: 'The bearer token is not accepted.' },
  'no-such-path': { error: 40401, meaning: 'Path not found.' },
  'method-not-allowed': { error: 40501, meaning: 'The path exists, but not with this method; see Allow.' },
  'too-many-requests': { error: 42901, meaning: "More requests a second than the token's limit." },
  'internal-error': { error: 50001, meaning: 'A defect of the service; its log has the cause.' },
  'store-unavailable': {
    error: 50301,
    meaning: 'The store cannot respond in time. It is safe to retry the same request.',
  },
  overloaded: { error: 50302, meaning: 'The service is overloaded. It is safe to retry the same request.' },
  'token-check-unavailable': {
    error: 50304,
    meaning: 'The token cannot be checked right now. It is safe to retry the same request.',
  },
} as const satisfies ErrorCatalogue;

/** The name of a kind of error. */
export type ErrorKind = keyof typeof errorCatalogue;

/** The HTTP statuses of the catalogue, as text: the first three digits of its numbers. */
export type ErrorStatus = `${(typeof errorCatalogue)[ErrorKind]['error']}` extends infer Digits
  ? Digits extends `${infer A}${infer B}${infer C}${string}`
    ? `${A}${B}${C}`
    : never
  : never;
