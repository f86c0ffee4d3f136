/**
 * How long to wait before the next attempt, in milliseconds: twice as long each time up to the longest, half of it by
 * chance. So those that failed together do not come back in step.
 *
 * @param attempt 0 for the first pause.
 */
export function backoffMs(attempt: number, firstMs: number, longestMs: number): number {
  return Math.min(longestMs, firstMs * 2 ** attempt) * (0.5 + Math.random() / 2);
}
