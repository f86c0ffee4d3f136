import { expect } from 'vitest';
import { contradictions, longest, recovery, sentInFault } from './figures.ts';
import type { Observed, Recorded } from './observed.ts';

/** The limit is 2 s; half a second more is for a busy machine, which also runs this generator. */
export const RESPONDED_WITHIN_MS = 2_500;

/** Checks what holds under any fault of the store: every client got a response, and what got 200 is stored. */
export function expectEveryResponse(recorded: Recorded): void {
  const { results, stored } = recorded;
  expect(results.filter(({ outcome }) => outcome !== 200 && outcome !== 503).slice(0, 3)).toEqual([]);
  expect(results.filter(({ asExpected }) => !asExpected).slice(0, 3)).toEqual([]);
  expect(longest(results), 'the longest response').toBeLessThanOrEqual(RESPONDED_WITHIN_MS);
  expectNothingLost(recorded);
  expect(stored.size).toBe(results.length);
}

/** Checks what holds under any fault of the service, too: the history has no contradiction, and the rest can be retried. */
export function expectNothingLost(recorded: Recorded): void {
  expect(contradictions(recorded).slice(0, 3)).toEqual([]);
  expect(recorded.again.filter(({ outcome }) => outcome !== 200).slice(0, 3), 'sent again').toEqual([]);
}

/** The adapter's default. */
const POOL_SIZE = 10;

/** Checks everything that holds under any fault of PostgreSQL. */
export function expectResilience(
  observed: Observed,
  { recoversWithinMs }: { readonly recoversWithinMs: number },
): void {
  const { results, again, attempts, attemptsInFault, mostBackends } = observed;
  expectEveryResponse(observed);
  expect(recovery(observed), 'time to recover').toBeLessThanOrEqual(recoversWithinMs);
  expect(attempts, 'attempts at the store').toBeLessThanOrEqual(1.1 * (results.length + again.length));
  expect(attemptsInFault, 'attempts during the fault').toBeLessThanOrEqual(1.1 * sentInFault(observed));
  expect(mostBackends, 'backends').toBeLessThanOrEqual(POOL_SIZE);
}
