import type { NewPlant } from '../plant.ts';
import type { PlantStore } from '../plant-repository.ts';
import { BrokenPromise, type Clause, show } from './contract.ts';
import { answerTo, expectExists, expectStored, put } from './expectations.ts';
import { inOpenStore } from './prepared-store.ts';
import { plainPlant, plainPlants } from './sample-plants.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** What an add does to those beside it: PR-9. */
export const neighbourClauses: readonly Clause<StoreUnderTest>[] = [
  {
    id: 'PR-9',
    title: 'an add that the store refuses or that fails leaves the adds beside it alone',
    check: (subject, tools) =>
      inOpenStore(subject, tools, async (store, prepared) => {
        const taken = plainPlant(1);
        await put(store, taken);
        const refused = await prepared.refusedPlant?.();
        // Often enough to use up any usual pool, if each time costs a connection.
        for (let round = 1; round <= 30; round += 1) {
          const fresh = plainPlants(6, 10 * round);
          const did = `round ${round}: added six plants at once, and in their midst ${refused ? `${show(refused)}, which the store is set up to refuse, and ` : ''}another plant under the taken id ${taken.id}`;
          const ownAnswer = (plant: NewPlant) =>
            put(store, plant, `${did}; looked at ${show(plant)}, which is neither`);
          await Promise.all([
            ...fresh.slice(0, 3).map(ownAnswer),
            refused && expectRefused(store, refused, did),
            expectTaken(store, taken, did),
            ...fresh.slice(3).map(ownAnswer),
          ]);
          for (const plant of fresh) await expectStored(store, plant, `${did}; ${show(plant)} was answered`);
        }
      }),
  },
];

async function expectTaken(store: PlantStore, taken: NewPlant, did: string): Promise<void> {
  const didThat = `${did}; looked at that last one`;
  expectExists(await answerTo(store, { ...taken, name: 'a rival' }, didThat), taken, didThat);
}

async function expectRefused(store: PlantStore, refused: NewPlant, did: string): Promise<void> {
  let came: unknown;
  try {
    came = await store.plants.add(refused);
  } catch (error) {
    if (error instanceof BrokenPromise) throw error;
    return;
  }
  throw new BrokenPromise(`${did}; looked at the refused one`, `resolved with ${show(came)}`, 'it throws');
}
