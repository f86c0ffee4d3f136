/**
 * What was done, as a sentence: «sent {to: "ada", text: "a"} twice». As a function where there are thousands of
 * calls, of which few fail: it is called afterwards, so what it shows must not change.
 */
export type Action = string | (() => string);

/** The sentence. */
export function sentenceOf(action: Action): string {
  return typeof action === 'string' ? action : action();
}

/** A clause was violated. The message alone should lead someone who does not know the code to the fault. */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation';
  readonly action: string;
  readonly actual: string;
  readonly expected: string;

  /**
   * @param action what was done
   * @param actual what came of it
   * @param expected what the port promises instead
   */
  constructor(action: Action, actual: string, expected: string) {
    const done = sentenceOf(action);
    super(`action:   ${done}\nactual:   ${actual}\nexpected: ${expected}`);
    this.action = done;
    this.actual = actual;
    this.expected = expected;
  }
}

/**
 * The check needs something that was not supplied, such as a second token. The message says what, and how to supply it.
 * A clause that was not checked has neither passed nor failed, and is reported as such.
 */
export class NotChecked extends Error {
  override readonly name = 'NotChecked';
}
