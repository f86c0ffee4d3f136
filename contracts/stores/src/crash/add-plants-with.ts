import { realTime, show } from '@plant-store/contracts-kit';
import type { NewPlant, PlantRepository, PlantStore } from '@plant-store/domain';
import { addTwice, LATER_MS } from './add-twice.ts';

/** What a process that adds plants is told by its parent. */
export interface AdderInput<Options> {
  readonly options: Options;
  readonly plants: readonly NewPlant[];
}

/** What it tells its parent, see {@link addTwice}. */
export interface Acknowledgement {
  readonly plant: NewPlant;
  readonly isEarly: boolean;
}

/** What it needs of a store. */
export interface AddingStore extends Pick<PlantStore, 'close'> {
  readonly plants: Pick<PlantRepository, 'add'>;
}

/**
 * The whole of a program for `addInKilledProcess`: it opens a store with the options that its parent sends, adds the plants
 * that come with them, one after the other and each by two callers at about the same time, and sends each back whenever an
 * add returns.
 */
export function addPlantsWith<Options>(open: (options: Options) => AddingStore | Promise<AddingStore>): void {
  const addAll = async ({ options, plants }: AdderInput<Options>) => {
    const store = await open(options);
    for (const [at, plant] of plants.entries()) {
      const add = () => store.plants.add(plant);
      // Before the next is added: with a store that never waits, none would be sent until all are added.
      await addTwice([add, add], at % LATER_MS, realTime, (isEarly) => send({ plant, isEarly }));
    }
    await store.close();
    process.disconnect?.();
  };
  process.once('message', (input: AdderInput<Options>) => {
    // The message of the clause ends with this error.
    addAll(input).catch((error) => process.stderr.write(show(error), () => process.exit(1)));
  });
  // The parent has exited.
  process.once('disconnect', () => process.exit());
}

function send(acknowledgement: Acknowledgement): Promise<unknown> {
  return new Promise((sent) => process.send?.(acknowledgement, sent));
}
