import { isSamePlant, type NewPlant, type Plant } from '../plant.ts';
import type { PlantStore } from '../plant-repository.ts';
import { BrokenPromise, type Clause, show } from './contract.ts';
import { answerTo, ask, expectExists, expectStored, put } from './expectations.ts';
import { inOpenStore } from './prepared-store.ts';
import { plainPlants } from './sample-plants.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** What is answered: PR-4, PR-5 and PR-8. */
export const answerClauses: readonly Clause<StoreUnderTest>[] = [
  {
    id: 'PR-4',
    title: '`added` is answered when, and only when, this very call stored the plant',
    check: (subject, tools) =>
      inOpenStore(subject, tools, async (store) => {
        const plant = { id: 1n, name: 'fern', tag: 'shade' };
        const twin = { ...plant, id: 2n };
        await expectAdded(store, plant, `added ${show(plant)} to an empty store`);
        const again = `added ${show(plant)} twice`;
        expectExists(await answerTo(store, plant, again), plant, again);
        await expectAdded(store, twin, `added ${show(plant)}, then the same name and tag under another id`);
        await expectStored(store, plant, `added ${show(plant)}`);
        await expectStored(store, twin, `added ${show(plant)}, then the same name and tag under another id`);
        const others = plainPlants(50);
        await Promise.all(
          others.map((other) => expectAdded(store, other, `added ${show(other)} and 49 others at once`)),
        );
        for (const other of others) await expectStored(store, other, `added ${show(other)} and 49 others at once`);
      }),
  },
  {
    id: 'PR-5',
    title: 'a taken id answers with the plant that has it, which stays unchanged',
    check: (subject, tools) =>
      inOpenStore(subject, tools, async (store) => {
        const plants: readonly NewPlant[] = [
          { id: 1n, name: 'fern', tag: 'shade' },
          { id: 2n, name: 'moss' },
        ];
        for (const plant of plants) await put(store, plant);
        for (const plant of plants) {
          const before = await existing(store, plant);
          for (const other of othersUnderTheIdOf(plant)) {
            const did = `added ${show(plant)}, then others under its id, the last of them ${show(other)}`;
            expectExists(await answerTo(store, other, did), before, did);
            expectExists(await ask(store, plant, did), before, `${did}, and asked again`);
          }
        }
      }),
  },
  {
    id: 'PR-8',
    title: 'neither the object passed in nor one handed out gives a way to change what is stored',
    check: (subject, tools) =>
      inOpenStore(subject, tools, async (store) => {
        const stored = { id: 1n, name: 'fern', tag: 'shade' };
        const passedIn = { ...stored };
        const adding = answerTo(store, passedIn);
        tryToChange(passedIn, { id: 2n, name: 'changed', tag: 'changed' });
        await adding;
        await expectStored(store, stored, 'added a plant and changed the object that was passed in before the answer');
        tryToChange(passedIn, { id: 1n, name: 'changed', tag: 'changed' });
        await expectStored(store, stored, 'added a plant and changed the object that was passed in after the answer');
        const handedOut = await ask(store, stored, 'added a plant');
        if (handedOut.outcome === 'exists') tryToChange(handedOut.plant, { name: 'changed', tag: 'changed' });
        await expectStored(store, stored, 'changed the plant that add had handed out');
      }),
  },
];

async function expectAdded(store: PlantStore, plant: NewPlant, did: string): Promise<void> {
  const result = await answerTo(store, plant, did);
  if (result.outcome !== 'added') throw new BrokenPromise(did, show(result), '{outcome: "added"}');
}

function othersUnderTheIdOf(plant: NewPlant): NewPlant[] {
  const { id, name } = plant;
  return [
    { ...plant, name: 'ivy' },
    { ...plant, name: name.toUpperCase() },
    { ...plant, tag: 'sun' },
    { ...plant, tag: '' },
    { id, name },
    { id, name: 'ivy', tag: 'sun' },
  ].filter((other) => !isSamePlant(other, plant));
}

/** The plant that has the id, as the store hands it out. That an absent tag stays absent is for PR-3 to say. */
async function existing(store: PlantStore, plant: NewPlant): Promise<Plant> {
  const result = await ask(store, plant, `added ${show(plant)}`);
  const did = `added ${show(plant)}, then another plant under its id`;
  if (result.outcome !== 'exists') throw new BrokenPromise(did, show(result), '{outcome: "exists", plant}');
  const tag = plant.tag ?? result.plant.tag;
  expectExists(result, { name: plant.name, ...(tag !== undefined && { tag }) }, did);
  if (Object.keys(result.plant).some((member) => member !== 'name' && member !== 'tag'))
    throw new BrokenPromise(did, show(result), 'a plant has a name, perhaps a tag, and no other member');
  return { ...result.plant };
}

/** A frozen object is a fine answer too: then the change throws, and nothing is changed. */
function tryToChange(plant: object, change: Partial<NewPlant>): void {
  try {
    Object.assign(plant, change);
  } catch {
    // frozen
  }
}
