import { fixedIds, httpContract } from '@plant-store/contracts-http';
import { describe, expect, test } from 'vitest';
import { mutants } from '../src/mutants.ts';
import type { Mutation } from '../src/mutation.ts';
import { runMutant } from '../src/run-mutant.ts';

const affected = mutants.filter(([breaks]) => breaks === 'HC-8' || breaks === 'HC-9');

describe.concurrent('if other plants have the ids that are not random', () => {
  test.for(affected)('%s catches one that %s', async ([breaks, , mutation]) => {
    const results = await runMutant(
      idsTaken(mutation),
      httpContract.clauses.filter(({ id }) => id === breaks),
    );
    expect(results).toMatchObject([{ id: breaks, verdict: 'failed' }]);
  });
});

/** Other plants were created there before, through the same mutation. */
function idsTaken(mutation: Mutation): Mutation {
  return {
    ...mutation,
    createPlant(correct) {
      const create = mutation.createPlant?.(correct) ?? correct;
      const taken = Promise.allSettled(fixedIds.map((id) => create({ id, name: 'somebody else’s' })));
      return async (plant) => {
        await taken;
        return create(plant);
      };
    },
  };
}
