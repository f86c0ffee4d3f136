/**
 * A contract is data: numbered clauses that anything can run (a test runner, a command line, another contract's test).
 * Subject is what the clauses are checked against.
 */
export interface Contract<Subject> {
  /** The port's name, for people: `PlantRepository`. */
  readonly name: string;
  readonly clauses: readonly Clause<Subject>[];
}

/** One promise of a port, with the function that tells whether it is kept. */
export interface Clause<Subject> {
  /** The number that the port's documentation gives it: `PR-1`. */
  readonly id: string;
  /** The promise, as a sentence. */
  readonly title: string;
  /** Whether the subject makes this promise at all. Every subject does where this is left out. */
  readonly appliesTo?: (subject: Subject) => boolean;
  /**
   * Resolves when the promise is kept.
   * @throws {ContractViolation} when it is not; any other error means the same, said less well.
   * @throws {NotChecked} when whoever runs the contract has not supplied what the check takes.
   */
  readonly check: (subject: Subject, tools: Tools) => Promise<void>;
}

/** What a clause needs of the platform. The domain has no timers of its own. */
export interface Tools {
  /** Resolves after so many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /**
   * Resolves as soon as what was put off before it has begun: `setImmediate` in Node. A timer takes a millisecond at the
   * least, in which a fast store has looked and written.
   */
  readonly nextTurn: () => Promise<void>;
}

/** A promise was not kept. The message alone is meant to lead a stranger to the fault. */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation';
  readonly action: string;
  readonly actual: string;
  readonly expected: string;

  /**
   * @param action what was done, as a sentence: «added {id: 7, name: "a"} twice»
   * @param actual what came of it
   * @param expected what the port promises instead
   */
  constructor(action: string, actual: string, expected: string) {
    super(`action:   ${action}\nactual:   ${actual}\nexpected: ${expected}`);
    this.action = action;
    this.actual = actual;
    this.expected = expected;
  }
}

/**
 * The check takes something that was not supplied, such as a second token. The message says what, and how to supply it.
 * A promise that nobody checked has neither passed nor failed, and is reported as such.
 */
export class NotChecked extends Error {
  override readonly name = 'NotChecked';
}

/** What became of one clause. */
export type ClauseResult = { readonly id: string; readonly title: string } & (
  | { readonly verdict: 'passed' }
  | { readonly verdict: 'not-promised' }
  | { readonly verdict: 'not-checked'; readonly message: string }
  | { readonly verdict: 'failed'; readonly message: string }
);

/** What became of a contract: every clause is in `results`, none is skipped in silence. */
export interface ContractReport {
  readonly contract: string;
  readonly results: readonly ClauseResult[];
  readonly passed: number;
  readonly notPromised: number;
  readonly notChecked: number;
  readonly failed: number;
}

/**
 * Checks every clause, one after the other, and reports on each. Never throws for a broken promise.
 *
 * @param onResult called after each clause, for progress.
 * @param clauseTimeoutMs a clause that has not ended by then is broken: nothing hangs. 60,000 by default.
 */
export async function runContract<Subject>(
  contract: Contract<Subject>,
  subject: Subject,
  tools: Tools,
  { onResult, clauseTimeoutMs = 60_000 }: { onResult?: (result: ClauseResult) => void; clauseTimeoutMs?: number } = {},
): Promise<ContractReport> {
  const results: ClauseResult[] = [];
  for (const clause of contract.clauses) {
    const result = await runClause(clause, subject, tools, clauseTimeoutMs);
    results.push(result);
    onResult?.(result);
  }
  const count = (verdict: ClauseResult['verdict']) => results.filter((result) => result.verdict === verdict).length;
  return {
    contract: contract.name,
    results,
    passed: count('passed'),
    notPromised: count('not-promised'),
    notChecked: count('not-checked'),
    failed: count('failed'),
  };
}

/** Checks one clause and says what became of it. Never throws for a broken promise. */
export async function runClause<Subject>(
  clause: Clause<Subject>,
  subject: Subject,
  tools: Tools,
  timeoutMs = 60_000,
): Promise<ClauseResult> {
  const { id, title } = clause;
  if (clause.appliesTo && !clause.appliesTo(subject)) return { id, title, verdict: 'not-promised' };
  try {
    await within(timeoutMs, tools, `checked ${id}`, clause.check(subject, tools));
    return { id, title, verdict: 'passed' };
  } catch (error) {
    if (error instanceof NotChecked) return { id, title, verdict: 'not-checked', message: error.message };
    return { id, title, verdict: 'failed', message: messageOf(error) };
  }
}

/**
 * Waits for a promise, but not for ever.
 * @throws {ContractViolation} when it has not settled after `ms` milliseconds.
 */
export async function within<T>(
  ms: number,
  { sleep }: Tools,
  did: string,
  promise: Promise<T>,
  promised = `an answer, or an error, within ${ms} ms`,
): Promise<T> {
  const late = sleep(ms).then(() => {
    throw new ContractViolation(did, `no answer after ${ms} ms`, promised);
  });
  late.catch(() => {});
  return Promise.race([promise, late]);
}

/** The value as a person would write it: strings quoted, what cannot be seen escaped, bigints plain, long text shortened. */
export function show(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 120 ? `${quote(value.slice(0, 100))}… (${value.length} code units)` : quote(value);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) {
    const cause = value instanceof AggregateError ? value.errors : value.cause;
    return `${value.name}: ${shortened(value.message)}${cause === undefined ? '' : ` (cause: ${show(cause)})`}`;
  }
  if (Array.isArray(value)) return `[${value.map(show).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, member]) => `${key}: ${show(member)}`)
      .join(', ')}}`;
  }
  return String(value);
}

/** Engines quote in their errors what they were given, which may be a megabyte. */
function shortened(text: string): string {
  return text.length > 2_000 ? `${text.slice(0, 2_000)}… (${text.length} code units)` : text;
}

function quote(text: string): string {
  const asEscape = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;
  return JSON.stringify(text).replace(/(?! )[\p{C}\p{Z}]/gu, asEscape);
}

function messageOf(error: unknown): string {
  return error instanceof ContractViolation ? error.message : `threw ${show(error)}`;
}
