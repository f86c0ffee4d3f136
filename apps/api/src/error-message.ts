/** Why something failed, for a person, where whatever was thrown may lack a message of its own. */
export function reasonOf(error: unknown): string {
  // Where a name has several addresses, what went wrong with each is inside.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
