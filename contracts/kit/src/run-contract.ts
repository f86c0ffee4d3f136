import type { Clause, ClauseResult, Contract, Tools } from './contract.ts';
import { ContractViolation, NotChecked } from './contract-violation.ts';
import { show } from './show.ts';
import { within } from './waiting.ts';

/** Options of {@link runContract}. */
export interface RunOptions {
  /** Called with each verdict. */
  readonly onResult?: (result: ClauseResult) => void;
  /**
   * Called when a clause fails; resolves with undefined if the subject still responds. If it does not, the following clauses are
   * not checked, because each would only report a refused connection and hide the clause that caused it.
   */
  readonly whyUnreachable?: () => Promise<string | undefined>;
}

/** Checks the clauses one after the other. Has a verdict on every clause, so that none is skipped silently, and throws for none. */
export async function runContract<Subject>(
  { clauses }: Contract<Subject>,
  subject: Subject,
  tools: Tools,
  { onResult, whyUnreachable }: RunOptions = {},
): Promise<readonly ClauseResult[]> {
  const results: ClauseResult[] = [];
  let unreachable: string | undefined;
  for (const clause of clauses) {
    const { id, shows, title } = clause;
    const result: ClauseResult = unreachable
      ? { id, shows, title, verdict: 'not-checked', message: unreachable }
      : await runClause(clause, subject, tools);
    onResult?.(result);
    results.push(result);
    const reason = result.verdict === 'failed' ? await whyUnreachable?.() : undefined;
    if (reason !== undefined) unreachable = `${reason} since ${id} was checked: read its log`;
  }
  return results;
}

/** Checks one clause, which fails if it takes longer than three minutes. Does not throw for a violation. */
export async function runClause<Subject>(
  { id, shows, title, appliesTo, check }: Clause<Subject>,
  subject: Subject,
  tools: Tools,
): Promise<ClauseResult> {
  const clause = { id, shows, title };
  if (appliesTo && !appliesTo(subject)) return { ...clause, verdict: 'not-promised' };
  try {
    await within(CLAUSE_TIMEOUT_MS, tools, `checked ${id}`, check(subject, tools));
    return { ...clause, verdict: 'passed' };
  } catch (error) {
    if (error instanceof NotChecked) return { ...clause, verdict: 'not-checked', message: error.message };
    const message = error instanceof ContractViolation ? error.message : `threw ${show(error)}`;
    return { ...clause, verdict: 'failed', message };
  }
}

/** How long a clause may take: many times what it takes on an idle machine. */
export const CLAUSE_TIMEOUT_MS = 180_000;
