import { describe, expect, test } from 'vitest';
import type { Contract, Tools } from '../contract.ts';
import type { Mutant } from '../mutant.ts';
import { type ClauseResult, runContract } from '../run-contract.ts';
import { clausesFor } from './clauses-for.ts';
import { testCompleteness, testMutants } from './test-mutants.ts';
import { inVirtualTime } from './virtual-time.ts';

/** Implementations of a port, correct ones and mutants, that prove its contract. */
export interface Implementations<Subject, Correct extends { readonly does: string }, Wrong extends Correct & Mutant> {
  readonly correct: readonly Correct[];
  readonly mutants: readonly Wrong[];
  /** Makes what the contract is run against; the tools are the only way to wait. */
  readonly harness: (implementation: Correct, tools: Tools) => Subject;
}

/**
 * Registers a vitest suite that proves a contract: correct implementations pass every clause, each mutant fails the clause
 * that it breaks and no other but those it declares, and every clause has a mutant. {@link clausesFor} says which clauses
 * a mutant is checked against. Runs in virtual time, so that time-outs cost nothing.
 */
export function describeMutants<Subject, Correct extends { readonly does: string }, Wrong extends Correct & Mutant>(
  contract: Contract<Subject>,
  { correct, mutants, harness }: Implementations<Subject, Correct, Wrong>,
): void {
  const run = (implementation: Correct, clauses = contract.clauses): Promise<readonly ClauseResult[]> =>
    inVirtualTime(
      async (tools) => (await runContract({ ...contract, clauses }, harness(implementation, tools), tools)).results,
    );

  describe(`the ${contract.name} contract`, () => {
    test.each(correct)('passes one that $does', async (implementation) => {
      const passed = contract.clauses.map(({ id, title }) => ({ id, title, verdict: 'passed' }));
      expect(await run(implementation)).toEqual(passed);
    });

    testMutants(mutants, (mutant) => run(mutant, clausesFor(contract.clauses, [mutant.breaks])));
    testCompleteness(contract, mutants);
  });
}
