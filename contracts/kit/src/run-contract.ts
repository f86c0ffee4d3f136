import type { ClauseResult } from './clause-result.ts';
import type { Clause, Contract, Tools } from './contract.ts';
import { ContractViolation, NotChecked } from './contract-violation.ts';
import { EventLoopWatch } from './event-loop.ts';
import { type KnownFailures, withKnownFailure } from './known-failures.ts';
import { show } from './show.ts';
import { within } from './within.ts';

/** The verdict on a contract: `results` has every clause, so none is skipped silently. */
export interface ContractReport {
  readonly contract: string;
  /** The revision that was checked, if the contract has any, and the clauses that newer ones would add. */
  readonly revision?: string;
  readonly newer: readonly Pick<ClauseResult, 'id' | 'title'>[];
  readonly results: readonly ClauseResult[];
  readonly passed: number;
  readonly notPromised: number;
  readonly notChecked: number;
  readonly failed: number;
  readonly knownFailures: number;
}

/** How a contract is run; every option may be left out. */
export interface RunOptions {
  readonly onResult?: (result: ClauseResult) => void;
  readonly clauseTimeoutMs?: number;
  readonly knownFailures?: KnownFailures;
}

/**
 * Checks every clause, one after the other, and reports on each. Never throws for a violation.
 *
 * @param onResult called after each clause, for progress.
 * @param clauseTimeoutMs a clause that takes longer fails, so that nothing hangs. 60,000 by default.
 * @param knownFailures none by default.
 */
export async function runContract<Subject>(
  contract: Contract<Subject>,
  subject: Subject,
  tools: Tools,
  { onResult, clauseTimeoutMs = 60_000, knownFailures = {} }: RunOptions = {},
): Promise<ContractReport> {
  const results: ClauseResult[] = [];
  for (const clause of contract.clauses) {
    const result = withKnownFailure(await runClause(clause, subject, tools, clauseTimeoutMs), knownFailures);
    results.push(result);
    onResult?.(result);
  }
  const count = (verdict: ClauseResult['verdict']) => results.filter((result) => result.verdict === verdict).length;
  return {
    contract: contract.name,
    ...(contract.revision && { revision: contract.revision }),
    newer: contract.newer?.map(({ id, title }) => ({ id, title })) ?? [],
    results,
    passed: count('passed'),
    notPromised: count('not-promised'),
    notChecked: count('not-checked'),
    failed: count('failed'),
    knownFailures: count('known-failure'),
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
