import { show } from '@plant-store/contracts-kit';
import type { NewPlant, PlantStore } from '@plant-store/domain';
import type { AdderInput } from './adder-input.ts';

/**
 * The whole of a program for `startAdder`: it opens a store with the options that its parent sends, adds the plants that
 * come with them, one after the other and each by two callers at once, and sends each back whenever an add returns.
 */
export function addPlantsWith<Options>(open: (options: Options) => PlantStore | Promise<PlantStore>): void {
  process.once('message', ({ options, plants }: AdderInput<Options>) => {
    addAll(open, options, plants).then(() => process.disconnect?.(), fail);
  });
  // The parent has exited.
  process.once('disconnect', () => process.exit());
}

async function addAll<Options>(
  open: (options: Options) => PlantStore | Promise<PlantStore>,
  options: Options,
  plants: readonly NewPlant[],
): Promise<void> {
  const store = await open(options);
  const add = async (plant: NewPlant) => {
    await store.plants.add(plant);
    // Sent before the next is added: with a store that never waits, none would be sent until all are added.
    await new Promise((sent) => process.send?.(plant, sent));
  };
  for (const plant of plants) await Promise.all([add(plant), add(plant)]);
  await store.close();
}

/** The message of the clause ends with this error. */
function fail(error: unknown): void {
  process.stderr.write(show(error), () => process.exit(1));
}
