import { fixedIds, httpContract, waitingClauses } from '@plant-store/contracts-http';
import { realTime, runContract } from '@plant-store/contracts-kit';
import { describe, expect, test } from 'vitest';
import { ids } from '../src/mutants/ids.ts';
import { startService } from '../src/mutated-service.ts';
import type { Mutation } from '../src/mutation.ts';
import { runMutant } from '../src/run-mutant.ts';

const concerned = ids.filter(({ breaks }) => breaks === 'HC-8' || breaks === 'HC-9');

describe('where somebody else has the ids that are not random', () => {
  test('a good service keeps the contract, as often as it is checked', async () => {
    await using running = await startService(idsTaken({}));
    const clauses = httpContract.clauses.filter(({ id }) => !waitingClauses.includes(id));
    for (let time = 1; time <= 2; time += 1) {
      const { results } = await runContract({ ...httpContract, clauses }, running.service, realTime);
      expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
    }
  });

  test.each(concerned)('$breaks catches one that $does', async ({ breaks, mutation }) => {
    const results = await runMutant(idsTaken(mutation), (id) => id === breaks);
    expect(results).toMatchObject([{ id: breaks, verdict: 'failed' }]);
  });
});

/** Somebody has created plants there before, through the same mutation. */
function idsTaken(mutation: Mutation): Mutation {
  return {
    ...mutation,
    createPlant(good) {
      const create = mutation.createPlant?.(good) ?? good;
      const taken = Promise.allSettled(fixedIds.map((id) => create({ id, name: 'somebody else’s' })));
      return async (plant) => {
        await taken;
        return create(plant);
      };
    },
  };
}
