/** The numbers of a client's errors. They are not imported from the service, because a number must never change. */
export const errorNumbers = {
  'malformed-json': 40001,
  'not-a-new-plant': 40002,
  'unsupported-media-type': 40003,
  'body-too-large': 40004,
  'id-taken': 40005,
  'malformed-http': 40006,
  'request-timeout': 40007,
  'missing-token': 40101,
  'token-not-accepted': 40102,
  'no-such-path': 40401,
  'method-not-allowed': 40501,
} as const;

/** The name of a kind of error. */
export type ErrorKind = keyof typeof errorNumbers;

/** The name of a kind of error, or its number if an operation alone gives it. */
export type ErrorNameOrNumber = ErrorKind | number;

/** The number of a kind of error. */
export function numberOf(kind: ErrorNameOrNumber): number {
  return typeof kind === 'number' ? kind : errorNumbers[kind];
}
