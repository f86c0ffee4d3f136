/** An error as the log shows it. */
export interface LoggedError {
  readonly type: string;
  readonly code?: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/**
 * Type, code, message and stack of an error and of its causes. pino's own serializer adds every other property, such as
 * PostgreSQL's `detail`, which repeats the row, or the parameters of a statement.
 */
export function loggedError(thrown: unknown): LoggedError {
  return describe(thrown, MAX_CAUSES);
}

/** 5: no error here has more, and a cycle of causes ends. */
const MAX_CAUSES = 5;

function describe(thrown: unknown, causes: number): LoggedError {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: 'a value that is not an Error was thrown' };
  const { name, message, stack, cause } = thrown;
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
  return {
    type: name,
    ...(code === undefined ? {} : { code }),
    message,
    ...(stack === undefined ? {} : { stack }),
    ...(cause === undefined || causes === 0 ? {} : { cause: describe(cause, causes - 1) }),
  };
}
