/**
 * The type, code, message and stack of an error and its causes. pino's own serializer adds all other properties, for example
 * PostgreSQL's `detail`, which contains the row, or the parameters of a statement.
 *
 * @param causes the maximum depth of causes, because a chain of causes may be cyclic.
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
