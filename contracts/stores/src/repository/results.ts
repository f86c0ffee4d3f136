import { type Clause, ContractViolation, type Sentence, show } from '@plant-store/contracts-kit';
import {
  isSamePlant,
  type NewPlant,
  optionalTextFields,
  type Plant,
  type PlantStore,
  textFields,
} from '@plant-store/domain';
import { addNew, addPlant, expectExists, expectStored, lookUp, probeFor, unlessUnavailable } from '../expectations.ts';
import { inOpenStore } from '../prepared-store.ts';
import { plainPlants, plantUnder, plantWith, plantWithout } from '../samples/plants.ts';
import type { StoreHarness } from '../store-harness.ts';

/** What add returns: PR-4, PR-5 and PR-8. */
export const resultClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-4',
    title: '`added` is returned if, and only if, this very call stored the plant',
    check: (harness, tools) =>
      inOpenStore(harness, tools, async (store) => {
        const plant = plantUnder(1n);
        const twin = { ...plant, id: 2n };
        await expectAdded(store, plant, `added ${show(plant)} to an empty store`);
        const again = `added ${show(plant)} twice`;
        expectExists(await addPlant(store, plant, again), plant, again);
        await expectAdded(store, twin, `added ${show(plant)}, then the same under another id`);
        await expectStored(store, twin, `added ${show(plant)}, then the same under another id`);
        const others = plainPlants(50);
        const and49 = (other: NewPlant) => () => `added ${show(other)} and 49 others at once`;
        await Promise.all(others.map((other) => expectAdded(store, other, and49(other))));
        for (const other of others) await expectStored(store, other, and49(other));
        await addCrowd(store, plainPlants(CROWD, 1_001));
      }),
  },
  {
    id: 'PR-5',
    title: 'if the id is taken, add returns the plant that has it, which stays unchanged',
    check: (harness, tools) =>
      inOpenStore(harness, tools, async (store) => {
        const plants = [
          plantUnder(1n),
          ...optionalTextFields.map((field, nth) => plantWithout(field, BigInt(2 + nth))),
        ];
        for (const plant of plants) await addNew(store, plant);
        for (const plant of plants) {
          const before = await firstResult(store, plant);
          for (const other of [...othersUnderTheIdOf(plant), probeFor(plant)]) {
            const action = () => `added ${show(plant)}, then others under its id, the last of them ${show(other)}`;
            expectExists(await addPlant(store, other, action), before, action);
          }
        }
      }),
  },
  {
    id: 'PR-8',
    title: 'changing an object that was passed in or returned does not change what is stored',
    check: (harness, tools) =>
      inOpenStore(harness, tools, async (store) => {
        const stored = plantUnder(1n);
        const changed = plantWith(1n, (field) => `changed ${field}`);
        const passedIn = { ...stored };
        const adding = addPlant(store, passedIn, `added ${show(stored)}, and changed the object before add returned`);
        tryToChange(passedIn, { ...changed, id: 2n });
        await adding;
        tryToChange(passedIn, changed);
        const action = 'added a plant, and changed the object that was passed in before add returned and after it';
        const result = await lookUp(store, stored, action);
        expectExists(result, stored, `${action}, then added another plant under its id`);
        const { id: _, ...texts } = changed;
        if (result.outcome === 'exists') tryToChange(result.plant, texts);
        await expectStored(store, stored, 'changed the plant that add had returned');
      }),
  },
];

async function expectAdded(store: PlantStore, plant: NewPlant, action: Sentence): Promise<void> {
  const result = await addPlant(store, plant, action);
  if (result.outcome !== 'added') throw new ContractViolation(action, show(result), '{outcome: "added"}');
}

/** A store may be bounded, and tell some of them to retry later; but none may fail in another way. */
async function addCrowd(store: PlantStore, crowd: readonly NewPlant[]): Promise<void> {
  const action = (plant: NewPlant) => () => `added ${show(plant)} and ${crowd.length - 1} others at once`;
  const results = await Promise.all(
    crowd.map((plant) => unlessUnavailable(action(plant), () => store.plants.add(plant))),
  );
  const acknowledged = crowd.filter((_, at) => results[at]);
  for (let from = 0; from < acknowledged.length; from += 100)
    await Promise.all(acknowledged.slice(from, from + 100).map((plant) => expectStored(store, plant, action(plant))));
}

/** More than anybody puts into one statement by accident, and as many as the stores at hand let wait. */
const CROWD = 2_000;

function othersUnderTheIdOf(plant: NewPlant): NewPlant[] {
  const oneFieldDiffers = textFields.flatMap((field) => [
    { ...plant, [field]: `other ${field}` },
    { ...plant, [field]: (plant[field] ?? field).toUpperCase() },
  ]);
  const oneFieldLacks = optionalTextFields.flatMap((field) => {
    const { [field]: _, ...others } = plant;
    return [others as NewPlant, { ...plant, [field]: '' }];
  });
  const allDiffer = plantWith(plant.id, (field) => `other ${field}`);
  return [...oneFieldDiffers, ...oneFieldLacks, allDiffer].filter((other) => !isSamePlant(other, plant));
}

/** What add returns first for a taken id, which has to stay so. */
async function firstResult(store: PlantStore, plant: NewPlant): Promise<Plant> {
  const result = await lookUp(store, plant, `added ${show(plant)}`);
  if (result.outcome === 'added') return plant;
  const names: readonly string[] = textFields;
  if (Object.keys(result.plant).some((property) => !names.includes(property))) {
    const action = `added ${show(plant)}, then another plant under its id`;
    throw new ContractViolation(action, show(result), `a plant has no properties but ${textFields.join(', ')}`);
  }
  // How an absent text is returned is for PR-3 to check.
  return { ...result.plant, ...plant };
}

/** A store may return a frozen object: then the change throws, and nothing is changed. */
function tryToChange(plant: object, change: Partial<NewPlant>): void {
  try {
    Object.assign(plant, change);
  } catch {
    // frozen
  }
}
