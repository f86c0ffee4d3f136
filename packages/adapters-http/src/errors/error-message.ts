/** What was thrown, in its own words: an error's message, or the thing itself as a text. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
