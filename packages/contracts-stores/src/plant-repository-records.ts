import { type Clause, ContractViolation, show, type Tools } from '@plant-store/contracts-kit';
import type { NewPlant } from '@plant-store/domain';
import { ask, expectExists, expectStored, put } from './expectations.ts';
import { inOpenStore } from './prepared-store.ts';
import { plantsWithHardIds, plantsWithHardTexts, plantsWithHugeTexts } from './sample-plants.ts';
import type { StoreHarness } from './store-harness.ts';

/** What is stored: PR-1 to PR-3. */
export const recordClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-1',
    title: 'an id is kept exactly, over the whole int64 range',
    check: (subject, tools) => keepsAll(subject, tools, plantsWithHardIds()),
  },
  {
    id: 'PR-2',
    title: 'a name and a tag are kept exactly',
    check: (subject, tools) => keepsAll(subject, tools, [...plantsWithHardTexts(), ...plantsWithHugeTexts()]),
  },
  {
    id: 'PR-3',
    title: 'an absent tag and an empty tag stay different',
    check: (subject, tools) =>
      inOpenStore(subject, tools, async (store) => {
        const plants: readonly NewPlant[] = [
          { id: 1n, name: 'no tag' },
          { id: 2n, name: 'an empty tag', tag: '' },
        ];
        for (const plant of plants) await put(store, plant);
        for (const plant of plants) {
          const result = await ask(store, plant, `added ${show(plant)}`);
          const did = `added ${show(plant)}, then another plant under its id`;
          expectExists(result, plant, did);
          if (result.outcome === 'exists' && 'tag' in result.plant !== 'tag' in plant)
            throw new ContractViolation(did, show(result), 'a plant without a tag has no member `tag`');
        }
      }),
  },
];

/** One after the other and all at once: stores that write several plants together often do so by another way. */
async function keepsAll(subject: StoreHarness, tools: Tools, plants: readonly NewPlant[]): Promise<void> {
  await inOpenStore(subject, tools, async (store) => {
    for (const plant of plants) await put(store, plant);
    for (const plant of plants) await expectStored(store, plant, `added ${show(plant)}`);
  });
  await inOpenStore(subject, tools, async (store) => {
    const did = (plant: NewPlant) => `added ${show(plant)} together with ${plants.length - 1} others`;
    await Promise.all(plants.map((plant) => put(store, plant)));
    await Promise.all(plants.map((plant) => expectStored(store, plant, did(plant))));
  });
}
