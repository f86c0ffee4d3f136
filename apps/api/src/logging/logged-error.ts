/**
 * Type, code, message and stack of an error and of its causes. pino's own serializer adds every other property, such as
 * PostgreSQL's `detail`, which repeats the row, or the parameters of a statement.
 *
 * @param causes how many to follow at most, because a chain of causes may be a cycle.
 */
export function loggedError(thrown: unknown, causes = 5): object {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: 'a value that is not an Error was thrown' };
  const { name: type, code, message, stack, cause }: NodeJS.ErrnoException = thrown;
  return {
    type,
    code: typeof code === 'string' ? code : undefined,
    message,
    stack,
    cause: cause === undefined || causes === 0 ? undefined : loggedError(cause, causes - 1),
  };
}
