import { type Clause, ContractViolation, show, type Tools } from '@plant-store/contracts-kit';
import { type NewPlant, optionalTextFields } from '@plant-store/domain';
import { addNew, expectExists, expectStored, lookUp } from '../expectations.ts';
import { inOpenStore } from '../prepared-store.ts';
import {
  plantsWithAbsentAndEmptyTexts,
  plantsWithHardIds,
  plantsWithHardTexts,
  plantsWithHugeTexts,
} from '../samples/plants.ts';
import type { StoreHarness } from '../store-harness.ts';

/** What is stored: PR-1 to PR-3. */
export const recordClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-1',
    title: 'an id is stored exactly, over the whole int64 range',
    check: (harness, tools) => expectStoredExactly(harness, tools, plantsWithHardIds()),
  },
  {
    id: 'PR-2',
    title: 'texts are stored exactly',
    check: (harness, tools) =>
      expectStoredExactly(harness, tools, [...plantsWithHardTexts(), ...plantsWithHugeTexts()]),
  },
  {
    id: 'PR-3',
    title: 'an absent text and an empty text stay different',
    check: (harness, tools) =>
      inOpenStore(harness, tools, async (store) => {
        const plants = plantsWithAbsentAndEmptyTexts(1n);
        for (const plant of plants) await addNew(store, plant);
        for (const plant of plants) {
          const result = await lookUp(store, plant, `added ${show(plant)}`);
          const action = `added ${show(plant)}, then another plant under its id`;
          expectExists(result, plant, action);
          for (const field of optionalTextFields)
            if (result.outcome === 'exists' && field in result.plant !== field in plant)
              throw new ContractViolation(
                action,
                show(result),
                `a plant without a ${field} has no property \`${field}\``,
              );
        }
      }),
  },
];

/** One after the other and all at once: stores that write several plants together often do so by another code path. */
async function expectStoredExactly(harness: StoreHarness, tools: Tools, plants: readonly NewPlant[]): Promise<void> {
  await inOpenStore(harness, tools, async (store) => {
    for (const plant of plants) await addNew(store, plant);
    for (const plant of plants) await expectStored(store, plant, `added ${show(plant)}`);
  });
  await inOpenStore(harness, tools, async (store) => {
    const action = (plant: NewPlant) => () => `added ${show(plant)} together with ${plants.length - 1} others`;
    await Promise.all(plants.map((plant) => addNew(store, plant)));
    await Promise.all(plants.map((plant) => expectStored(store, plant, action(plant))));
  });
}
