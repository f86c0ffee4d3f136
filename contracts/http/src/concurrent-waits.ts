import type { Clause, Contract } from '@plant-store/contracts-kit';

/** Clauses that wait, for seconds each, until the service times slow requests out. */
export const waitingClauses: readonly string[] = ['HC-60', 'HC-61', 'HC-66'];

/**
 * The contract for one run, in which those clauses wait concurrently: they are started with the first clause, whichever
 * it is, and each is reported in its turn. Without it a run takes three times as long, with the same result.
 */
export function withConcurrentWaits<Subject>(contract: Contract<Subject>): Contract<Subject> {
  const started = new Map<string, Promise<void>>();
  const waiting = contract.clauses.filter(({ id }) => waitingClauses.includes(id));

  function startAll(...given: Parameters<Clause<Subject>['check']>): void {
    for (const { id, check } of waiting) {
      if (started.has(id)) continue;
      const result = check(...given);
      // Awaited when the clause's turn comes.
      result.catch(() => {});
      started.set(id, result);
    }
  }

  const clauses = contract.clauses.map((clause) => ({
    ...clause,
    check(...given: Parameters<typeof clause.check>) {
      startAll(...given);
      return started.get(clause.id) ?? clause.check(...given);
    },
  }));
  return { ...contract, clauses };
}
