import { inspect } from 'node:util';
import { type Clause, ContractViolation, resolved, show, type Tools } from '@plant-store/contracts-kit';
import type { NewPlant, PlantStore } from '@plant-store/domain';
import { closeQuietly, inPreparedStore, inStoreOn, refusedPlantOf, required } from '../prepared-store.ts';
import { plainPlant } from '../samples/plants.ts';
import type { PreparedStore, StoreHarness } from '../store-harness.ts';

/** What an error shows: PR-20. */
export const errorClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-20',
    title: 'an error shows no text of the plant, in no property and no cause',
    check: (harness, tools) =>
      inPreparedStore(harness, async (prepared) => {
        const refused = await refusedPlantOf(prepared);
        await inStoreOn(harness, prepared, tools, async (store) => {
          if (refused) await expectDiscreet(store, refused, 'which the store is set up to reject');
          if (harness.capabilities.external) await inAnOutage(store, prepared, tools);
          await closeQuietly(store);
          await expectDiscreet(store, SECRET, 'to a store that is closed');
        });
      }),
  },
];

async function inAnOutage(store: PlantStore, prepared: PreparedStore, tools: Tools): Promise<void> {
  const startOutage = required(prepared, 'startOutage', 'external');
  const end = await resolved('called startOutage()', startOutage, 'it resolves once the outage has begun');
  try {
    // In one batch with others, whose texts an error may not show either.
    const others = Promise.allSettled([plainPlant(1), plainPlant(2)].map((plant) => store.plants.add(plant)));
    await expectDiscreet(store, SECRET, 'while the store cannot answer');
    await others;
  } finally {
    await resolved('ended the outage', end, 'it ends');
    await tools.nextTurn();
  }
}

/** Texts that stand in no error by chance. */
const SECRET: NewPlant = { id: 4711n, name: 'Zantedeschia aethiopica', tag: 'calla-in-the-cellar' };

/** Whether an add throws, and what, is for other clauses to check. */
async function expectDiscreet(store: PlantStore, plant: NewPlant, where: string): Promise<void> {
  try {
    await store.plants.add(plant);
  } catch (error) {
    if (error instanceof ContractViolation) return;
    const lines = inspect(error, { depth: Number.POSITIVE_INFINITY, maxStringLength: null }).split('\n');
    const { id: _, ...texts } = plant;
    for (const [field, text] of Object.entries(texts)) {
      const line = lines.find((line) => line.includes(text));
      if (line === undefined) continue;
      const actual = `threw an error that shows its ${field}: ${line.trim()}`;
      throw new ContractViolation(
        `added ${show(plant)}, ${where}`,
        actual,
        'an error shows no text of a plant: errors are logged',
      );
    }
  }
}
