import type { ClauseResult } from './contract.ts';

/** Clauses that an implementation is known to fail, with the reason: `{ "PR-16": "waits for the driver's next release" }`. */
export type KnownFailures = Readonly<Record<string, string>>;

/**
 * The verdict on a clause if its failure is known. One that is not failed any more is stale, and fails until its entry is
 * removed: a list that nobody prunes would hide the next failure. What cannot be checked stays as it is.
 */
export function withKnownFailure(result: ClauseResult, known: KnownFailures): ClauseResult {
  const reason = known[result.id];
  if (reason === undefined || result.verdict === 'not-checked') return result;
  const { id, title } = result;
  if (result.verdict === 'failed')
    return { id, title, verdict: 'known-failure', message: `${reason}\n${result.message}` };
  const verdict = result.verdict === 'passed' ? 'is kept' : 'is not promised';
  return { id, title, verdict: 'failed', message: `it ${verdict}: remove it from the known failures («${reason}»)` };
}
