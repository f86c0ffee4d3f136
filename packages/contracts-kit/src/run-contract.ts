import type { Clause, Contract, Tools } from './contract.ts';
import { ContractViolation, NotChecked } from './contract-violation.ts';
import { EventLoopWatch } from './event-loop.ts';
import { show } from './show.ts';
import { within } from './within.ts';

/** The verdict on one clause. */
export type ClauseResult = { readonly id: string; readonly title: string } & (
  | { readonly verdict: 'passed' }
  | { readonly verdict: 'not-promised' }
  | { readonly verdict: 'not-checked'; readonly message: string }
  | { readonly verdict: 'failed'; readonly message: string }
);

/** The verdict on a contract: `results` has every clause, so none is skipped silently. */
export interface ContractReport {
  readonly contract: string;
  readonly results: readonly ClauseResult[];
  readonly passed: number;
  readonly notPromised: number;
  readonly notChecked: number;
  readonly failed: number;
}

/**
 * Checks every clause, one after the other, and reports on each. Never throws for a violation.
 *
 * @param onResult called after each clause, for progress.
 * @param clauseTimeoutMs a clause that takes longer fails, so that nothing hangs. 60,000 by default.
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

/** Checks one clause and reports the verdict. Never throws for a violation. */
export async function runClause<Subject>(
  clause: Clause<Subject>,
  subject: Subject,
  tools: Tools,
  timeoutMs = 60_000,
): Promise<ClauseResult> {
  const { id, title } = clause;
  if (clause.appliesTo && !clause.appliesTo(subject)) return { id, title, verdict: 'not-promised' };
  using eventLoop = new EventLoopWatch();
  const action = `checked ${id}`;
  try {
    await within(timeoutMs, tools, action, clause.check(subject, tools));
    return { id, title, verdict: 'passed' };
  } catch (error) {
    if (error instanceof NotChecked) return { id, title, verdict: 'not-checked', message: error.message };
    if (!(error instanceof ContractViolation)) return { id, title, verdict: 'failed', message: `threw ${show(error)}` };
    const ranOutOfTime = error.action === action;
    const { message } = ranOutOfTime
      ? new ContractViolation(action, error.actual + eventLoop.note, error.expected)
      : error;
    return { id, title, verdict: 'failed', message };
  }
}
