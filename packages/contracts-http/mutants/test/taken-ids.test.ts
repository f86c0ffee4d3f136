import { fixedIds, httpContract, waitingClauses } from '@plant-store/contracts-http';
import { realTime, runContract } from '@plant-store/contracts-kit';
import { clausesFor } from '@plant-store/contracts-kit/vitest';
import { describe, expect, test } from 'vitest';
import { ids } from '../src/mutants/ids.ts';
import { startService } from '../src/mutated-service.ts';
import type { Mutation } from '../src/mutation.ts';
import { runMutant } from '../src/run-mutant.ts';

/** The mutants of these clauses, which send hundreds of requests: one of each, or all. */
const affected = ['HC-8', 'HC-9'].flatMap((id) => {
  const mutants = ids.filter(({ breaks }) => breaks === id);
  return process.env['TEST_MUTANTS'] === 'all' ? mutants : mutants.slice(0, 1);
});

describe('if other plants have the ids that are not random', () => {
  test('a correct service passes the contract, however often it is checked', async () => {
    await using running = await startService(idsTaken({}));
    const quick = httpContract.clauses.filter(({ id }) => !waitingClauses.includes(id));
    const clauses = clausesFor(quick, ['HC-8', 'HC-9']);
    for (let time = 1; time <= 2; time += 1) {
      const { results } = await runContract({ ...httpContract, clauses }, running.service, realTime);
      expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
    }
  });

  test.each(affected)('$breaks catches one that $does', async ({ breaks, mutation }) => {
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
