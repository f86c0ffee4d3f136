import { ContractViolation, show, type Tools } from '@plant-store/contracts-kit';
import type { NewPlant, PlantStore } from '@plant-store/domain';
import { answerTo, expectExists, expectStored } from './expectations.ts';

/**
 * Adds plants, and expects of those under one id that exactly one is added and every other caller gets that one.
 * @param did what was done, for the message.
 */
export async function race(did: string, racers: readonly Racer[], { nextTurn }: Tools): Promise<void> {
  const stores = new Set(racers.map(({ store }) => store));
  const answers = await Promise.all(
    racers.map(async ({ store, plant, turn = 0 }) => {
      for (let passed = 0; passed < turn; passed += 1) await nextTurn();
      return { plant, result: await answerTo(store, plant, `${did}; looked at ${show(plant)}`) };
    }),
  );
  for (const [id, rivals] of Map.groupBy(answers, ({ plant }) => plant.id)) {
    const [winner, ...others] = rivals.filter(({ result }) => result.outcome === 'added');
    if (!winner || others.length > 0) {
      const told = winner ? 1 + others.length : 'none';
      throw new ContractViolation(
        did,
        `of ${rivals.length} callers for id ${id}, ${told} got \`added\``,
        'exactly one does',
      );
    }
    const outcome = `${did}; ${show(winner.plant)} was added`;
    for (const rival of rivals) if (rival !== winner) expectExists(rival.result, winner.plant, outcome);
    for (const store of stores) await expectStored(store, winner.plant, outcome);
  }
}

/** A plant on its way to an id that others want as well. */
export interface Racer {
  readonly store: PlantStore;
  readonly plant: NewPlant;
  /** How many turns of the event loop after the first it begins. With the first by default. */
  readonly turn?: number;
}
