import { type Clause, ContractViolation, show } from '@plant-store/contracts-kit';
import { isSamePlant, type NewPlant, type Plant, type PlantStore } from '@plant-store/domain';
import { answerTo, ask, expectExists, expectStored, probeFor, put, unlessUnavailable } from './expectations.ts';
import { inOpenStore } from './prepared-store.ts';
import { plainPlants } from './sample-plants.ts';
import type { StoreHarness } from './store-harness.ts';

/** What is answered: PR-4, PR-5 and PR-8. */
export const answerClauses: readonly Clause<StoreHarness>[] = [
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
        await expectAdded(store, twin, `added ${show(plant)}, then the same under another id`);
        await expectStored(store, twin, `added ${show(plant)}, then the same under another id`);
        const others = plainPlants(50);
        await Promise.all(
          others.map((other) => expectAdded(store, other, `added ${show(other)} and 49 others at once`)),
        );
        for (const other of others) await expectStored(store, other, `added ${show(other)} and 49 others at once`);
        await addCrowd(store, plainPlants(CROWD, 1_001));
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
          const before = await firstAnswer(store, plant);
          for (const other of [...othersUnderTheIdOf(plant), probeFor(plant)]) {
            const did = `added ${show(plant)}, then others under its id, the last of them ${show(other)}`;
            expectExists(await answerTo(store, other, did), before, did);
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
        tryToChange(passedIn, { id: 1n, name: 'changed', tag: 'changed' });
        const did = 'added a plant, and changed the object that was passed in before the answer and after it';
        const handedOut = await ask(store, stored, did);
        expectExists(handedOut, stored, `${did}, then added another plant under its id`);
        if (handedOut.outcome === 'exists') tryToChange(handedOut.plant, { name: 'changed', tag: 'changed' });
        await expectStored(store, stored, 'changed the plant that add had handed out');
      }),
  },
];

async function expectAdded(store: PlantStore, plant: NewPlant, did: string): Promise<void> {
  const result = await answerTo(store, plant, did);
  if (result.outcome !== 'added') throw new ContractViolation(did, show(result), '{outcome: "added"}');
}

/** A store may be bounded, so that some are told to come again; but nobody gets another error. */
async function addCrowd(store: PlantStore, crowd: readonly NewPlant[]): Promise<void> {
  const did = (plant: NewPlant) => `added ${show(plant)} and ${crowd.length - 1} others at once`;
  const answers = await Promise.all(crowd.map((plant) => unlessUnavailable(did(plant), () => store.plants.add(plant))));
  const answered = crowd.filter((_, at) => answers[at]);
  for (let from = 0; from < answered.length; from += 100)
    await Promise.all(answered.slice(from, from + 100).map((plant) => expectStored(store, plant, did(plant))));
}

/** More than anybody puts into one statement unawares, and what the stores at hand let wait. */
const CROWD = 2_000;

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

/** What is answered for a plant, which has to stay so. */
async function firstAnswer(store: PlantStore, plant: NewPlant): Promise<Plant> {
  const result = await ask(store, plant, `added ${show(plant)}`);
  if (result.outcome === 'added') return plant;
  if (Object.keys(result.plant).some((member) => member !== 'name' && member !== 'tag')) {
    const did = `added ${show(plant)}, then another plant under its id`;
    throw new ContractViolation(did, show(result), 'a plant has a name, perhaps a tag, and no other member');
  }
  // How an absent tag is handed out is for PR-3 to say.
  return plant.tag === undefined ? { ...result.plant, name: plant.name } : plant;
}

/** A frozen object is a fine answer too: then the change throws, and nothing is changed. */
function tryToChange(plant: object, change: Partial<NewPlant>): void {
  try {
    Object.assign(plant, change);
  } catch {
    // frozen
  }
}
