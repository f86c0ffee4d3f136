/** Wrong usage of a command, which did nothing: exit code 2. The message says what to pass instead. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** Invalid configuration: exit code 2. The message lists the faults, each with its setting and what was expected, one per line. */
export class ConfigError extends UsageError {
  override readonly name = 'ConfigError';
}

/** A command ended before its work was done: exit code 3. The message says why and how to continue. */
export class IncompleteError extends Error {
  override readonly name = 'IncompleteError';
}

/** The message of what was thrown, for a person. */
export function errorMessage(error: unknown): string {
  // If a host name has several addresses, the aggregate contains an error for each.
  if (error instanceof AggregateError) return error.errors.map(errorMessage).join(', ');
  return error instanceof Error ? error.message : String(error);
}
