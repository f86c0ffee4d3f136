import type { NewPlant } from '../plant.ts';
import type { PlantStore } from '../plant-repository.ts';
import { openBounded } from './bounded-store.ts';
import { BrokenPromise, type Clause, show } from './contract.ts';
import { answerTo, expectExists, expectStored, put } from './expectations.ts';
import { closeQuietly, inOpenStore } from './prepared-store.ts';
import { plainPlant, plainPlants } from './sample-plants.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** Who wins: PR-6 and PR-7. */
export const raceClauses: readonly Clause<StoreUnderTest>[] = [
  {
    id: 'PR-6',
    title: 'of the plants that race for one id exactly one is stored, and every other caller gets that one',
    check: (subject, tools) => inOpenStore(subject, tools, (store) => raceForOneId([store], 'through one store')),
  },
  {
    id: 'PR-7',
    title: 'taken ids and races are decided across stores that are open on the same data',
    promisedBy: (subject) => subject.promises.shared,
    check: (subject, tools) =>
      inOpenStore(subject, tools, async (one, prepared) => {
        const other = await openBounded(subject, prepared, tools, 'opened a second store on the same data');
        try {
          const plant = plainPlant(1);
          await put(one, plant);
          await expectStored(other, plant, `added ${show(plant)} through one store, and asked through another`);
          await raceForOneId([one, other], 'in turn through two stores');
          for (let round = 1; round <= 4; round += 1) {
            for (const kind of kinds) {
              const mine = plainPlants(20, 100 * round + (kind === 'equal' ? 0 : 50));
              const theirs = mine.map((plant) => ({
                ...plant,
                name: `${plant.name}${kind === 'equal' ? '' : ', rival'}`,
              }));
              // In the same order they meet at every plant; in opposite ones, those who lock rows wait for each other.
              if (round % 2 === 0) theirs.reverse();
              await race(`20 ${kind} pairs of plants raced for an id each, through two stores`, [
                ...mine.map((plant) => ({ store: one, plant })),
                ...theirs.map((plant) => ({ store: other, plant })),
              ]);
            }
          }
        } finally {
          await closeQuietly(other);
        }
      }),
  },
];

/** Different plants show who won; equal plants show that only one caller is told `added`. */
const kinds = ['different', 'equal'] as const;

/** A few, as many as are on their way together, and more than a pool or a batch holds; stores take turns. */
async function raceForOneId(stores: readonly [PlantStore, ...PlantStore[]], how: string): Promise<void> {
  let id = 0n;
  for (const count of [2, 20, 200]) {
    for (const kind of kinds) {
      id += 1n;
      const racers = Array.from({ length: count }, (_, at) => {
        const name = kind === 'equal' ? `plant ${id}` : `plant ${id} of racer ${at}`;
        return { store: stores[at % stores.length] ?? stores[0], plant: { id, name, tag: 'tag' } };
      });
      await race(`${count} ${kind} plants raced for id ${id}, ${how}`, racers);
    }
  }
}

interface Racer {
  readonly store: PlantStore;
  readonly plant: NewPlant;
}

async function race(did: string, racers: readonly Racer[]): Promise<void> {
  const stores = new Set(racers.map(({ store }) => store));
  const answers = await Promise.all(
    racers.map(async ({ store, plant }) => {
      return { plant, result: await answerTo(store, plant, `${did}; looked at ${show(plant)}`) };
    }),
  );
  for (const [id, rivals] of Map.groupBy(answers, ({ plant }) => plant.id)) {
    const [winner, ...others] = rivals.filter(({ result }) => result.outcome === 'added');
    if (!winner || others.length > 0) {
      const told = winner ? 1 + others.length : 'none';
      throw new BrokenPromise(
        did,
        `of ${rivals.length} callers for id ${id}, ${told} got \`added\``,
        'exactly one does',
      );
    }
    const outcome = `${did}; ${show(winner.plant)} was added`;
    for (const rival of rivals) if (rival !== winner) expectExists(rival.result, winner.plant, outcome);
    for (const store of stores) await expectStored(store, winner.plant, outcome);
  }
}
