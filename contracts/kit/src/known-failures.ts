import type { ClauseResult } from './contract.ts';

/** Clauses that an implementation is known to fail, with reasons: `{ "PR-16": "fixed by the driver's next release" }`. */
export type KnownFailures = Readonly<Record<string, string>>;

/**
 * Replaces a known failure by that verdict. A listed clause that no longer fails is reported as failed until its entry is
 * removed, because a stale entry would hide the next failure. A clause that was not checked keeps its verdict.
 */
export function withKnownFailure(result: ClauseResult, known: KnownFailures): ClauseResult {
  const reason = known[result.id];
  if (reason === undefined || result.verdict === 'not-checked') return result;
  const { id, title } = result;
  if (result.verdict === 'failed')
    return { id, title, verdict: 'known-failure', message: `${reason}\n${result.message}` };
  const verdict = result.verdict === 'passed' ? 'passes' : 'is not promised';
  return { id, title, verdict: 'failed', message: `it ${verdict}: remove it from the known failures («${reason}»)` };
}
