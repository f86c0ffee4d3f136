/**
 * Numbered clauses as data, which a test runner, a command or the test of the contract itself can run. Subject is the type of
 * what they are checked against, Implementation that of their mutants.
 */
export interface Contract<Subject, Implementation = unknown> {
  /** The name of the port: `Mailbox`. */
  readonly name: string;
  readonly clauses: readonly Clause<Subject, Implementation>[];
  /** The file or URL that explains the clauses, for messages. */
  readonly documentation?: string;
}

/** One promise of a port, with the function that checks it and the mutants that prove the check. */
export interface Clause<Subject, Implementation = unknown> {
  /** Its number in the documentation of the port: `MB-1`. */
  readonly id: string;
  /**
   * What of the list of promises it shows, with one blank between: promises and the faults under which they hold, `P3/F6 P3/F10`, or
   * a promise alone if the clause needs no fault, `P4`.
   */
  readonly shows: string;
  /** The promise, as a sentence. */
  readonly title: string;
  /** Whether the clause binds this subject. It binds every subject by default. */
  readonly appliesTo?: (subject: Subject) => boolean;
  /**
   * Resolves if the subject keeps the promise.
   * @throws {ContractViolation} if it does not. Any other error means the same, with a poorer message.
   * @throws {NotChecked} if the check needs something that was not supplied.
   */
  readonly check: (subject: Subject, tools: Tools) => Promise<void>;
  /** Implementations with one realistic mistake each, which the check must catch, by what they do: «trims the name». */
  readonly mutants?: Readonly<Record<string, Implementation>>;
}

/** The verdict on one clause. */
export type ClauseResult = Pick<Clause<never>, 'id' | 'shows' | 'title'> &
  (
    | { readonly verdict: 'passed' }
    | { readonly verdict: 'not-promised' }
    | { readonly verdict: 'failed' | 'not-checked'; readonly message: string }
  );

/** Time, for checks: real time in a test of an adapter, virtual time in a test of the contract. */
export interface Tools {
  /** Resolves after this many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /**
   * Resolves in the next turn of the event loop, like `setImmediate`. A timer would take at least a millisecond, in which a fast
   * implementation can read and write.
   */
  readonly nextTurn: () => Promise<void>;
}
