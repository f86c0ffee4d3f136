// The program of the process that addInKilledProcess starts.

import { realTime, show } from '@plant-store/contracts-kit';
import type { NewPlant, PlantStore } from '@plant-store/domain';
import type { Opener } from './add-in-killed-process.ts';
import { addTwice, MAX_DELAY_MS } from './add-twice.ts';

/** The message from the parent process: which store to open, and what to add. */
export interface AdderInput {
  /** Its module is a URL. */
  readonly opener: Opener;
  readonly options: object;
  readonly plants: readonly NewPlant[];
}

/** A message to the parent process for each add that returned, as {@link addTwice} reports it. */
export interface Acknowledgement {
  readonly id: bigint;
  readonly isEarly: boolean;
}

async function addAll({ opener, options, plants }: AdderInput): Promise<void> {
  const store: PlantStore = await (await import(opener.module))[opener.name](options);
  for (const [at, plant] of plants.entries()) {
    const add = () => store.plants.add(plant);
    // Waits until the message is sent. With a store that never yields, none would be sent before all plants are added.
    await addTwice([add, add], at % MAX_DELAY_MS, realTime, (isEarly) => send({ id: plant.id, isEarly }));
  }
  await store.close();
  process.disconnect?.();
}

function send(acknowledgement: Acknowledgement): Promise<unknown> {
  return new Promise((sent) => process.send?.(acknowledgement, sent));
}

process.once('message', (input: AdderInput) => {
  // The parent quotes standard error in the message of the clause.
  addAll(input).catch((error) => process.stderr.write(show(error), () => process.exit(1)));
});
// The parent has exited.
process.once('disconnect', () => process.exit());
