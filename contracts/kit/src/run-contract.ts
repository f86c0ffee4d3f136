import type { Clause, ClauseResult, Contract, Tools } from './contract.ts';
import { ContractViolation, NotChecked } from './contract-violation.ts';
import { type KnownFailures, withKnownFailure } from './known-failures.ts';
import { show } from './show.ts';
import { within } from './waiting.ts';

/** The verdicts on a contract. `results` has every clause, so that none is skipped silently. */
export interface ContractReport {
  readonly contract: string;
  /** The revision that was checked, if the contract has revisions. */
  readonly revision?: string;
  /** The clauses that newer revisions add. */
  readonly newer: readonly Pick<ClauseResult, 'id' | 'title'>[];
  readonly results: readonly ClauseResult[];
  readonly passed: number;
  readonly notPromised: number;
  readonly notChecked: number;
  readonly failed: number;
  readonly knownFailures: number;
  /** If the subject became unreachable: the clause being checked, the last one after which it responded, and a message. */
  readonly stopped?: { readonly during: string; readonly lastAnswered: string | undefined; readonly message: string };
}

/** Options of {@link runContract}. */
export interface RunOptions {
  /** Called after each clause that was checked. */
  readonly onResult?: (result: ClauseResult) => void;
  readonly knownFailures?: KnownFailures;
  /**
   * Called when a clause fails; resolves with undefined if the subject still responds. If it does not, the following clauses are
   * not checked, because each would only report a refused connection and hide the clause that caused it.
   */
  readonly whyUnreachable?: () => Promise<string | undefined>;
}

/** Checks the clauses one after the other and reports each verdict. Does not throw for a violation. */
export async function runContract<Subject>(
  contract: Contract<Subject>,
  subject: Subject,
  tools: Tools,
  { onResult, knownFailures = {}, whyUnreachable }: RunOptions = {},
): Promise<ContractReport> {
  const results: ClauseResult[] = [];
  let stopped: ContractReport['stopped'];
  for (const clause of contract.clauses) {
    const { id, title } = clause;
    if (stopped) {
      const message = `the service became unreachable during ${stopped.during}`;
      results.push({ id, title, verdict: 'not-checked', message });
      continue;
    }
    const result = withKnownFailure(await runClause(clause, subject, tools), knownFailures);
    onResult?.(result);
    const hasFailed = result.verdict === 'failed' || result.verdict === 'known-failure';
    const reason = hasFailed ? await whyUnreachable?.() : undefined;
    if (reason !== undefined) {
      const lastAnswered = results.findLast(({ verdict }) => verdict !== 'not-promised')?.id;
      const before = lastAnswered ? `After ${lastAnswered} it still responded.` : 'It was the first clause.';
      const message = `the service became unreachable while ${id} was being checked: ${reason}. ${before} Check its log; the clauses after ${id} were not checked.`;
      stopped = { during: id, lastAnswered, message };
    }
    results.push(result);
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
    ...(stopped && { stopped }),
  };
}

/** Checks one clause, which fails if it takes longer than three minutes. Does not throw for a violation. */
export async function runClause<Subject>(
  { id, title, appliesTo, check }: Clause<Subject>,
  subject: Subject,
  tools: Tools,
): Promise<ClauseResult> {
  if (appliesTo && !appliesTo(subject)) return { id, title, verdict: 'not-promised' };
  try {
    await within(CLAUSE_TIMEOUT_MS, tools, `checked ${id}`, check(subject, tools));
    return { id, title, verdict: 'passed' };
  } catch (error) {
    if (error instanceof NotChecked) return { id, title, verdict: 'not-checked', message: error.message };
    const message = error instanceof ContractViolation ? error.message : `threw ${show(error)}`;
    return { id, title, verdict: 'failed', message };
  }
}

/** How long a clause may take: many times what it takes on an idle machine. */
export const CLAUSE_TIMEOUT_MS = 180_000;
