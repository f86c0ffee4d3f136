/** What the checks need is broken, so no clause can say anything of the implementation. The message says what to fix. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}
