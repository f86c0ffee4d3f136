/** The command was called wrongly and did nothing. The message says what to pass instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Why something failed, for a person. Works for anything that can be thrown. */
export function errorMessage(error: unknown): string {
  // If a name has several addresses, the aggregate holds the failure of each.
  if (error instanceof AggregateError) return error.errors.map(errorMessage).join(', ');
  return error instanceof Error ? error.message : String(error);
}
