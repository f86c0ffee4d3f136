import { expect } from 'vitest';
import type { Result } from './client.ts';
import { byOutcome, contradictions, isDecided, longest, offered, offeredInFault, recovery } from './figures.ts';
import type { Observed, Recorded } from './observed.ts';
import { PAUSE_MS } from './probes.ts';

/** The limit is 2 s; half a second more is for a busy machine, which also runs this generator. */
export const RESPONDED_WITHIN_MS = 2_500;

/** Checks what holds under any fault of the store: every client got a response, and what got 200 is stored. */
export function expectEveryResponse(recorded: Recorded): void {
  const { results, stored } = recorded;
  expect(results.filter((result) => !isDecided(result) && result.outcome !== 503).slice(0, 3)).toEqual([]);
  expect(results.filter(({ asExpected }) => !asExpected).slice(0, 3)).toEqual([]);
  expect(longest(results), 'the longest response').toBeLessThanOrEqual(RESPONDED_WITHIN_MS);
  expectNothingLost(recorded);
  expect(stored.size).toBe(idsOf(results).size);
}

/** Checks what holds under any fault of the service, too: the history has no contradiction, and the rest can be retried. */
export function expectNothingLost(recorded: Recorded): void {
  expect(contradictions(recorded).slice(0, 3)).toEqual([]);
  expect(recorded.again.filter((result) => !isDecided(result)).slice(0, 3), 'sent again').toEqual([]);
}

/** Checks that every request was served: 200 for one plant of each id, and its rivals are told that it is taken. */
export function expectAllServed(results: readonly Result[]): void {
  const rivals = results.length - idsOf(results).size;
  expect(byOutcome(results)).toBe(
    [`200: ${results.length - rivals}`, ...(rivals ? [`taken: ${rivals}`] : [])].join(', '),
  );
}

const idsOf = (results: readonly Result[]) => new Set(results.map(({ plant }) => plant.id));

/** The adapter's default. */
const POOL_SIZE = 10;

/** Four of a probe: the admin listener is asked as often as {@link PAUSE_MS} says, and a circuit breaker asks twice a second. */
const MOST_PROBE_STATEMENTS_PER_SECOND = 4 * (1_000 / PAUSE_MS + 2);

/** Checks everything that holds under any fault of PostgreSQL. */
export function expectResilience(
  observed: Observed,
  { recoversWithinMs }: { readonly recoversWithinMs: number },
): void {
  const { results, again, attempts, attemptsInFault, probeStatementsPerSecond, mostBackends } = observed;
  expectEveryResponse(observed);
  expect(recovery(observed), 'time to recover').toBeLessThanOrEqual(recoversWithinMs);
  expect(attempts, 'attempts at the store').toBeLessThanOrEqual(1.1 * offered([...results, ...again]));
  expect(attemptsInFault, 'attempts during the fault').toBeLessThanOrEqual(1.1 * offeredInFault(observed));
  expect(probeStatementsPerSecond, 'statements of probes').toBeLessThanOrEqual(MOST_PROBE_STATEMENTS_PER_SECOND);
  expect(mostBackends, 'backends').toBeLessThanOrEqual(POOL_SIZE);
}
