import { expect } from 'vitest';
import { longest, lost, recovery, sentInFault } from './figures.ts';
import type { Answered, Observed } from './observed.ts';

/** 2 s are promised; half a second is for a machine that others use as well, this generator among them. */
export const ANSWERED_WITHIN_MS = 2_500;

/** Checks what holds whatever happens to the store: each caller had an answer, and what was answered 200 is there. */
export function expectAnswersKept(answered: Answered): void {
  const { answers, stored } = answered;
  expect(answers.filter(({ outcome }) => outcome !== 200 && outcome !== 503).slice(0, 3)).toEqual([]);
  expect(answers.filter(({ asPromised }) => !asPromised).slice(0, 3)).toEqual([]);
  expect(longest(answers), 'the longest answer').toBeLessThanOrEqual(ANSWERED_WITHIN_MS);
  expectNothingLost(answered);
  expect(stored.size).toBe(answers.length);
}

/** Checks what holds whatever happens to the service as well: what was answered 200 is there, the rest can be sent again. */
export function expectNothingLost(answered: Answered): void {
  expect(lost(answered).slice(0, 3), 'answered 200, but not in the store').toEqual([]);
  expect(answered.again.filter(({ outcome }) => outcome !== 200).slice(0, 3), 'sent again').toEqual([]);
  // Whether it was answered or not: what is there is what was sent.
  for (const { plant } of answered.answers) {
    const found = answered.stored.get(plant.id);
    if (found) expect(found).toEqual(plant);
  }
}

/** The adapter's default. */
const POOL_SIZE = 10;

/** Checks everything that holds under every fault of PostgreSQL. */
export function expectPromisesKept(
  observed: Observed,
  { recoversWithinMs }: { readonly recoversWithinMs: number },
): void {
  const { answers, again, attempts, attemptsInFault, mostBackends } = observed;
  expectAnswersKept(observed);
  expect(recovery(observed), 'until all is well again').toBeLessThanOrEqual(recoversWithinMs);
  expect(attempts, 'attempts at the store').toBeLessThanOrEqual(1.1 * (answers.length + again.length));
  expect(attemptsInFault, 'attempts while the fault was there').toBeLessThanOrEqual(1.1 * sentInFault(observed));
  expect(mostBackends, 'backends').toBeLessThanOrEqual(POOL_SIZE);
}
