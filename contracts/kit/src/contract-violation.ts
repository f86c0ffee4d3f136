/**
 * A part of a message. As a function where there are thousands of calls, of which few fail: it is called afterwards, so what it
 * shows must not change.
 */
export type Sentence = string | (() => string);

/** Its text. */
export function textOf(sentence: Sentence): string {
  return typeof sentence === 'string' ? sentence : sentence();
}

/** A clause was violated. The message alone should lead someone who does not know the code to the fault. */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation';
  readonly action: string;
  readonly actual: string;
  readonly expected: string;

  /**
   * @param action what was done: «sent {to: "ada", text: "a"} twice»
   * @param actual what came of it
   * @param expected what the port promises instead
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
 * The check needs something that was not supplied, such as a second token. The message says what, and how to supply it.
 * A clause that was not checked has neither passed nor failed, and is reported as such.
 */
export class NotChecked extends Error {
  override readonly name = 'NotChecked';
}
