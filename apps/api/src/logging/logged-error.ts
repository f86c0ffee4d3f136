/** What the log says of an error. */
export interface LoggedError {
  readonly type: string;
  readonly code?: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/**
 * What the log says of an error: its type, code, message and stack, and those of its causes. pino's own serializer adds
 * whatever else is in it, such as the `detail` of PostgreSQL, which repeats the row, or the parameters of a statement.
 */
export function loggedError(thrown: unknown): LoggedError {
  return described(thrown, MAX_CAUSES);
}

/** 5: nothing here has more, and a circle of causes has an end. */
const MAX_CAUSES = 5;

function described(thrown: unknown, causes: number): LoggedError {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: 'something that is no Error was thrown' };
  const { name, message, stack, cause } = thrown;
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
  return {
    type: name,
    ...(code === undefined ? {} : { code }),
    message,
    ...(stack === undefined ? {} : { stack }),
    ...(cause === undefined || causes === 0 ? {} : { cause: described(cause, causes - 1) }),
  };
}
