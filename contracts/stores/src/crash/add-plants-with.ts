import { realTime, show } from '@plant-store/contracts-kit';
import type { NewPlant, PlantRepository, PlantStore } from '@plant-store/domain';
import type { Acknowledgement, AdderInput } from './adder-input.ts';

/** What it needs of a store. */
export interface AddingStore extends Pick<PlantStore, 'close'> {
  readonly plants: Pick<PlantRepository, 'add'>;
}

/**
 * The whole of a program for `startAdder`: it opens a store with the options that its parent sends, adds the plants that
 * come with them, one after the other and each by two callers at about the same time, and sends each back whenever an add
 * returns.
 */
export function addPlantsWith<Options>(open: (options: Options) => AddingStore | Promise<AddingStore>): void {
  process.once('message', ({ options, plants }: AdderInput<Options>) => {
    addAll(open, options, plants).then(() => process.disconnect?.(), fail);
  });
  // The parent has exited.
  process.once('disconnect', () => process.exit());
}

async function addAll<Options>(
  open: (options: Options) => AddingStore | Promise<AddingStore>,
  options: Options,
  plants: readonly NewPlant[],
): Promise<void> {
  const store = await open(options);
  for (const [at, plant] of plants.entries()) await addTwice(store, plant, at % LATER_MS);
  await store.close();
}

async function addTwice(store: AddingStore, plant: NewPlant, laterMs: number): Promise<void> {
  let isAdded = false;
  const first = store.plants.add(plant).finally(() => {
    isAdded = true;
  });
  const second = laterMs > 0 ? realTime.sleep(laterMs).then(() => store.plants.add(plant)) : store.plants.add(plant);
  const early = second.then(async ({ outcome }) => {
    // Both may return at the same moment, in either order.
    await realTime.nextTurn();
    return outcome === 'exists' && !isAdded;
  });
  await Promise.all([
    first.then(() => send({ plant, isEarly: false })),
    early.then((isEarly) => send({ plant, isEarly })),
  ]);
}

/** Before the next is added: with a store that never waits, none would be sent until all are added. */
function send(acknowledgement: Acknowledgement): Promise<unknown> {
  return new Promise((sent) => process.send?.(acknowledgement, sent));
}

/**
 * The second caller comes up to so many milliseconds after the first: a commit takes about as long. At the same time, both
 * would be in one batch.
 */
const LATER_MS = 6;

/** The message of the clause ends with this error. */
function fail(error: unknown): void {
  process.stderr.write(show(error), () => process.exit(1));
}
