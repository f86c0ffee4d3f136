// A process of its own, started by adder.ts: adds the plants that its parent sends, one after the other and each by two
// callers at once, and sends each back after every answer.

import type { NewPlant } from '@plant-store/domain';
import { show } from '@plant-store/domain/contract';
import { type NewEngineOptions, openNewEngine } from '../new-engine-store.ts';

interface Order {
  readonly options: NewEngineOptions;
  readonly plants: readonly NewPlant[];
}

process.once('message', ({ options, plants }: Order) => {
  addAll(options, plants).then(() => process.disconnect?.(), complain);
});
// Its parent is gone.
process.once('disconnect', () => process.exit());

async function addAll(options: NewEngineOptions, plants: readonly NewPlant[]): Promise<void> {
  const store = await openNewEngine(options);
  const add = async (plant: NewPlant) => {
    await store.plants.add(plant);
    process.send?.(plant);
  };
  for (const plant of plants) await Promise.all([add(plant), add(plant)]);
  await store.close();
}

/** For the message of the clause, which ends with it. */
function complain(error: unknown): void {
  process.stderr.write(show(error), () => process.exit(1));
}
