import { type Clause, ContractViolation, NotChecked, show } from '@plant-store/contracts-kit';
import { type NewPlant, PlantRefused, type PlantStore } from '@plant-store/domain';
import { addNew, addPlant, expectExists, expectStored } from '../expectations.ts';
import { inOpenStore, inPreparedStore, inStoreOn, refusedPlantOf } from '../prepared-store.ts';
import { plainPlant, plainPlants } from '../samples/plants.ts';
import type { StoreHarness } from '../store-harness.ts';

/** What an add does to concurrent adds: PR-9 and PR-16. */
export const concurrentAddClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-9',
    title: 'an add whose id is taken does not affect concurrent adds',
    check: (harness, tools) => inOpenStore(harness, tools, (store) => expectUnaffected(store)),
  },
  {
    id: 'PR-16',
    title: 'a plant that the store rejects fails with PlantRefused, and alone',
    check: (harness, tools) =>
      inPreparedStore(harness, async (prepared) => {
        const refused = await refusedPlantOf(prepared);
        if (!refused)
          throw new NotChecked(
            'no plant is known that the store would reject: supply refusedPlant() in what prepare() resolves with, unless the store rejects nothing',
          );
        await inStoreOn(harness, prepared, tools, (store) => expectUnaffected(store, refused));
      }),
  },
];

async function expectUnaffected(store: PlantStore, refused?: NewPlant): Promise<void> {
  const taken = plainPlant(1);
  await addNew(store, taken);
  // Often enough to use up any usual pool, if each time costs a connection.
  for (let round = 1; round <= 30; round += 1) {
    const fresh = plainPlants(6, 10 * round);
    const action = `round ${round}: added six plants at once, and among them ${refused ? `${show(refused)}, which the store is set up to reject, and ` : ''}another plant under the taken id ${taken.id}`;
    const addOwn = (plant: NewPlant) =>
      addNew(store, plant, () => `${action}; the result for ${show(plant)}, which is neither`);
    await Promise.all([
      ...fresh.slice(0, 3).map(addOwn),
      refused && expectRejected(store, refused, action),
      expectTaken(store, taken, action),
      ...fresh.slice(3).map(addOwn),
    ]);
    for (const plant of fresh) await expectStored(store, plant, () => `${action}; ${show(plant)} was acknowledged`);
  }
}

async function expectTaken(store: PlantStore, taken: NewPlant, action: string): Promise<void> {
  const ownAction = `${action}; the result for that last one`;
  expectExists(await addPlant(store, { ...taken, name: 'a rival' }, ownAction), taken, ownAction);
}

async function expectRejected(store: PlantStore, refused: NewPlant, action: string): Promise<void> {
  const ownAction = `${action}; the result for the rejected one`;
  let result: unknown;
  try {
    result = await store.plants.add(refused);
  } catch (error) {
    if (error instanceof ContractViolation) throw new ContractViolation(ownAction, error.actual, error.expected);
    if (error instanceof PlantRefused) return;
    throw new ContractViolation(ownAction, `threw ${show(error)}`, 'it throws PlantRefused: no retry would succeed');
  }
  throw new ContractViolation(ownAction, `resolved with ${show(result)}`, 'it throws');
}
