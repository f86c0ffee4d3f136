import type { NewPlant } from '../plant.ts';
import type { AddResult, PlantStore } from '../plant-repository.ts';
import { BrokenPromise, type Clause, show } from './contract.ts';
import { addFresh, expectExists, expectStored, inOpenStore, inPreparedStore } from './expectations.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** What is answered: PR-4 to PR-9. */
export const answerClauses: readonly Clause<StoreUnderTest>[] = [
  {
    id: 'PR-4',
    title: '`added` is answered when, and only when, this very call stored the plant',
    check: (subject) =>
      inOpenStore(subject, async (store) => {
        const plant = { id: 1n, name: 'Fern', tag: 'shade' };
        await addFresh(store, plant);
        expectExists(await store.plants.add(plant), plant, `added ${show(plant)} twice`);
        await addFresh(store, { ...plant, id: 2n });
      }),
  },
  {
    id: 'PR-5',
    title: 'a taken id answers with the plant that has it, which stays unchanged',
    check: (subject) =>
      inOpenStore(subject, async (store) => {
        const plant = { id: 1n, name: 'Fern', tag: 'shade' };
        await addFresh(store, plant);
        for (const other of [
          { id: 1n, name: 'Moss', tag: 'shade' },
          { id: 1n, name: 'Fern', tag: 'sun' },
          { id: 1n, name: 'Fern', tag: '' },
          { id: 1n, name: 'Fern' },
        ]) {
          expectExists(await store.plants.add(other), plant, `added ${show(plant)}, then ${show(other)}`);
          await expectStored(store, plant, `added ${show(plant)}, then ${show(other)}`);
        }
      }),
  },
  {
    id: 'PR-6',
    title: 'of the plants that race for one id exactly one is stored, and every other caller gets that one',
    check: (subject) =>
      inOpenStore(subject, async (store) => {
        for (const [round, { racers, equal }] of races.entries()) await race([store], BigInt(round), racers, equal);
      }),
  },
  {
    id: 'PR-7',
    title: 'taken ids and races are decided across stores that are open on the same data',
    promisedBy: (subject) => subject.promises.shared,
    check: (subject) =>
      inPreparedStore(subject, async (prepared) => {
        const stores = await Promise.all([prepared.open(), prepared.open()]);
        try {
          const [one, other] = stores as [PlantStore, PlantStore];
          const plant = { id: -1n, name: 'Fern' };
          await addFresh(one, plant);
          await expectStored(other, plant, 'added a plant through one store and asked through another');
          for (const [round, { racers, equal }] of races.entries()) await race(stores, BigInt(round), racers, equal);
        } finally {
          await Promise.all(stores.map((store) => store.close()));
        }
      }),
  },
  {
    id: 'PR-8',
    title: 'neither the object passed in nor one handed out gives a way to change what is stored',
    check: (subject) =>
      inOpenStore(subject, async (store) => {
        const passedIn = { id: 1n, name: 'Fern', tag: 'shade' };
        const stored = { ...passedIn };
        const adding = store.plants.add(passedIn);
        Object.assign(passedIn, { id: 2n, name: 'changed', tag: 'changed' });
        await adding;
        Object.assign(passedIn, { id: 3n, name: 'changed again' });
        await expectStored(store, stored, 'changed the object that was passed to add');
        const handedOut = await store.plants.add(stored);
        if (handedOut.outcome === 'exists') tryToChange(handedOut.plant);
        await expectStored(store, stored, 'changed the plant that add handed out');
      }),
  },
  {
    id: 'PR-9',
    title: 'an add that the store refuses or that fails leaves the adds beside it alone',
    check: (subject) =>
      inPreparedStore(subject, async (prepared) => {
        const store = await prepared.open();
        try {
          const taken = { id: 0n, name: 'taken' };
          await addFresh(store, taken);
          const refused = await prepared.refusedPlant?.();
          const fresh = Array.from(
            { length: 20 },
            (_, at): NewPlant => ({ id: BigInt(100 + at), name: `plant ${at}` }),
          );
          const beside = fresh.flatMap((plant, at) =>
            at % 5 === 4 ? [plant, ...(refused ? [refused] : []), { ...taken, name: 'other' }] : [plant],
          );
          const results = await Promise.allSettled(beside.map((plant) => store.plants.add(plant)));
          for (const [at, result] of results.entries()) {
            const plant = beside[at] as NewPlant;
            const did = `added ${beside.length} plants at once, ${refused ? `${show(refused)} (refused by the store) and ` : ''}a taken id among them; looked at ${show(plant)}`;
            if (plant === refused) {
              if (result.status === 'fulfilled')
                throw new BrokenPromise(did, show(result.value), 'it throws: the store was set up to refuse it');
            } else if (result.status === 'rejected') {
              throw new BrokenPromise(did, `threw ${show(result.reason)}`, 'an answer of its own');
            } else if (plant.id === taken.id) {
              expectExists(result.value, taken, did);
            } else {
              if (result.value.outcome !== 'added')
                throw new BrokenPromise(did, show(result.value), '{outcome: "added"}');
              await expectStored(store, plant, did);
            }
          }
        } finally {
          await store.close();
        }
      }),
  },
];

/** Different plants show who won; equal plants show that only one caller is told `added`. */
const races = [2, 20, 200].flatMap((racers) => [
  { racers, equal: false },
  { racers, equal: true },
]);

async function race(stores: readonly PlantStore[], id: bigint, racers: number, equal: boolean): Promise<void> {
  const plants = Array.from({ length: racers }, (_, at): NewPlant => ({ id, name: equal ? 'same' : `racer ${at}` }));
  const results: AddResult[] = await Promise.all(
    plants.map((plant, at) => (stores[at % stores.length] as PlantStore).plants.add(plant)),
  );
  const did = `${racers} ${equal ? 'equal' : 'different'} plants raced for id ${id} through ${stores.length} open store(s)`;
  const winners = plants.filter((_, at) => results[at]?.outcome === 'added');
  if (winners.length !== 1) throw new BrokenPromise(did, `${winners.length} were answered \`added\``, 'exactly one is');
  const winner = winners[0] as NewPlant;
  for (const result of results)
    if (result.outcome !== 'added') expectExists(result, winner, `${did}; ${show(winner)} was added`);
  for (const store of stores) await expectStored(store, winner, `${did}; ${show(winner)} was added`);
}

/** A frozen object is a fine answer too: then the change throws, and nothing is changed. */
function tryToChange(plant: object): void {
  try {
    Object.assign(plant, { name: 'changed', tag: 'changed' });
  } catch {
    // frozen
  }
}
