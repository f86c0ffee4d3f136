import { type Clause, ContractViolation, type Sentence, show, unlessUnavailable } from '@plant-store/contracts-kit';
import {
  type AddResult,
  isSamePlant,
  type NewPlant,
  optionalTextFields,
  type PlantStore,
  StoreUnavailable,
  textFields,
} from '@plant-store/domain';
import { addNew, addPlant, expectExists, expectStored, inChunks, probeFor } from '../expectations.ts';
import { withStore } from '../fixture.ts';
import {
  plainPlants,
  plantsWithAbsentAndEmptyTexts,
  plantsWithHardIds,
  plantsWithHardTexts,
  plantWith,
  plantWithId,
  without,
} from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';

/** What a store keeps, and what add returns: PR-1 to PR-5, and PR-8. */
export const recordClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-1',
    title: 'an id is stored exactly, over the whole int64 range',
    check: storedExactly(plantsWithHardIds),
  },
  {
    id: 'PR-2',
    title: 'texts are stored exactly',
    check: storedExactly(plantsWithHardTexts),
  },
  {
    id: 'PR-3',
    title: 'an absent text and an empty text stay different',
    check: storedExactly(() => plantsWithAbsentAndEmptyTexts(1n)),
  },
  {
    id: 'PR-4',
    title: '`added` is returned if, and only if, this very call stored the plant',
    check: withStore(async (store) => {
      const plant = plantWithId(1n);
      const twin = { ...plant, id: 2n };
      const first = `added ${show(plant)} to an empty store`;
      expectAdded(await addPlant(store, plant, first), first);
      const again = `added ${show(plant)} twice`;
      expectExists(await addPlant(store, plant, again), plant, again);
      const asTwin = `added ${show(plant)}, then the same under another id`;
      expectAdded(await addPlant(store, twin, asTwin), asTwin);
      await expectStored(store, twin, asTwin);
      // More plants than fit into one statement, and no more than the queue of a usual store.
      await addAtOnce(store, plainPlants(2_000, 1_001));
    }),
  },
  {
    id: 'PR-5',
    title: 'if the id is taken, add returns the plant that has it, which stays unchanged',
    check: withStore(async (store) => {
      const incomplete = optionalTextFields.map((field, nth) => without(field, plantWithId(BigInt(2 + nth))));
      const plants = [plantWithId(1n), ...incomplete];
      for (const plant of plants) await addNew(store, plant);
      for (const plant of plants) {
        for (const other of [...conflictsWith(plant), probeFor(plant)]) {
          const action = () => `added ${show(plant)}, then others under its id, the last of them ${show(other)}`;
          expectExists(await addPlant(store, other, action), plant, action);
        }
      }
    }),
  },
  {
    id: 'PR-8',
    title: 'changing an object that was passed in or returned does not change what is stored',
    check: withStore(async (store) => {
      const stored = plantWithId(1n);
      const { id: _, ...changed } = plantWith(1n, (field) => `changed ${field}`);
      const passedIn = { ...stored };
      const adding = addPlant(store, passedIn, `added ${show(stored)}, and changed the object before add returned`);
      Object.assign(passedIn, changed, { id: 2n });
      await adding;
      Object.assign(passedIn, changed, { id: 1n });
      const action = 'added a plant, and changed the object that was passed in before add returned and after it';
      const returned = await expectStored(store, stored, action);
      // Has no effect on a frozen plant, which is allowed.
      for (const [field, text] of Object.entries(changed)) Reflect.set(returned, field, text);
      await expectStored(store, stored, 'changed the plant that add had returned');
    }),
  },
];

/** Adds plants one by one and all at once, because stores often write several plants by another code path than one. */
function storedExactly(plantsOf: () => readonly NewPlant[]): Clause<StoreHarness>['check'] {
  const oneByOne = async (store: PlantStore) => {
    for (const plant of plantsOf()) await addNew(store, plant);
    for (const plant of plantsOf()) await expectExactly(store, plant, () => `added ${show(plant)}`);
  };
  const together = async (store: PlantStore) => {
    const plants = plantsOf();
    const action = (plant: NewPlant) => () => `added ${show(plant)} together with ${plants.length - 1} others`;
    await Promise.all(plants.map((plant) => addNew(store, plant)));
    await Promise.all(plants.map((plant) => expectExactly(store, plant, action(plant))));
  };
  return async (harness, tools) => {
    await withStore(oneByOne)(harness, tools);
    await withStore(together)(harness, tools);
  };
}

/** Looks up a plant that must be stored, and expects that an absent text is no property of it. */
async function expectExactly(store: PlantStore, plant: NewPlant, action: () => string): Promise<void> {
  const stored = await expectStored(store, plant, action);
  const field = optionalTextFields.find((each) => each in stored !== each in plant);
  if (field) throw new ContractViolation(action, show(stored), `the property \`${field}\` only where it is present`);
}

function expectAdded(result: AddResult, action: Sentence): void {
  if (result.outcome !== 'added') throw new ContractViolation(action, show(result), '{outcome: "added"}');
}

/** Adds plants at once. A store may reject some as overloaded, but an add must not fail in another way. */
async function addAtOnce(store: PlantStore, plants: readonly NewPlant[]): Promise<void> {
  const action = (plant: NewPlant) => () => `added ${show(plant)} and ${plants.length - 1} others at once`;
  const acknowledged: NewPlant[] = [];
  const add = async (plant: NewPlant) => {
    const result = await unlessUnavailable(action(plant), () => store.plants.add(plant), StoreUnavailable);
    if (!result) return;
    expectAdded(result.value, action(plant));
    acknowledged.push(plant);
  };
  await Promise.all(plants.map(add));
  await inChunks(acknowledged, (plant) => expectStored(store, plant, action(plant)));
}

function conflictsWith(plant: NewPlant): NewPlant[] {
  const changed = textFields.flatMap((field) =>
    [`other ${field}`, `${field} ${plant.id}`.toUpperCase(), ''].map((text) => ({ ...plant, [field]: text })),
  );
  const incomplete = optionalTextFields.map((field) => without(field, plant));
  const allDiffer = plantWith(plant.id, (field) => `other ${field}`);
  return [...changed, ...incomplete, allDiffer].filter((other) => !isSamePlant(other, plant));
}
