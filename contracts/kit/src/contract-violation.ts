/** A part of a message. A function is called only if a check fails, so the values that it shows must not change meanwhile. */
export type Sentence = string | (() => string);

/** The text of a {@link Sentence}. */
export function textOf(sentence: Sentence): string {
  return typeof sentence === 'string' ? sentence : sentence();
}

/** A clause was violated. The message should lead someone who does not know the code to the fault. */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation';
  readonly action: string;
  readonly actual: string;
  readonly expected: string;

  /**
   * @param action what the check did: «sent {to: "ada", text: "a"} twice»
   * @param actual the result
   * @param expected the result that the port promises
   */
  constructor(action: Sentence, actual: string, expected: Sentence) {
    const [done, promised] = [textOf(action), textOf(expected)];
    super(`action:   ${done}\nactual:   ${actual}\nexpected: ${promised}`);
    this.action = done;
    this.actual = actual;
    this.expected = promised;
  }
}

/**
 * A check needs something that was not supplied, such as a second token. The message says what, and how to supply it. The clause
 * has neither passed nor failed.
 */
export class NotChecked extends Error {
  override readonly name = 'NotChecked';
}
