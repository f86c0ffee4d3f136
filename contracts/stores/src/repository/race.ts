import { ContractViolation, show, type Tools } from '@plant-store/contracts-kit';
import type { NewPlant, PlantStore } from '@plant-store/domain';
import { addPlant, expectExists, expectStored } from '../expectations.ts';

/**
 * Adds plants, and expects that of those under one id exactly one is added and every other caller gets that one.
 * @param action what was done, for the message.
 */
export async function race(action: string, racers: readonly Racer[], { nextTurn }: Tools): Promise<void> {
  const stores = new Set(racers.map(({ store }) => store));
  const results = await Promise.all(
    racers.map(async ({ store, plant, turn = 0 }) => {
      for (let waited = 0; waited < turn; waited += 1) await nextTurn();
      return { plant, result: await addPlant(store, plant, () => `${action}; the result for ${show(plant)}`) };
    }),
  );
  for (const [id, rivals] of Map.groupBy(results, ({ plant }) => plant.id)) {
    const [winner, ...others] = rivals.filter(({ result }) => result.outcome === 'added');
    if (!winner || others.length > 0) {
      const winners = winner ? 1 + others.length : 'none';
      throw new ContractViolation(
        action,
        `of ${rivals.length} callers for id ${id}, ${winners} got \`added\``,
        'exactly one does',
      );
    }
    const outcome = () => `${action}; ${show(winner.plant)} was added`;
    for (const rival of rivals) if (rival !== winner) expectExists(rival.result, winner.plant, outcome);
    for (const store of stores) await expectStored(store, winner.plant, outcome);
  }
}

/** An add whose id others want as well. */
export interface Racer {
  readonly store: PlantStore;
  readonly plant: NewPlant;
  /** How many turns of the event loop after the first it begins; 0 by default. */
  readonly turn?: number;
}
