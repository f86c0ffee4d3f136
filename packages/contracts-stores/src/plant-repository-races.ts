import { type Clause, show, type Tools } from '@plant-store/contracts-kit';
import type { PlantStore } from '@plant-store/domain';
import { expectStored, put } from './expectations.ts';
import { inOpenStore, inStoreOn } from './prepared-store.ts';
import { race } from './race.ts';
import { plainPlant, plainPlants } from './sample-plants.ts';
import type { StoreHarness } from './store-harness.ts';

/** Who wins: PR-6 and PR-7. */
export const raceClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-6',
    title: 'of the plants that race for one id exactly one is stored, and every other caller gets that one',
    check: (subject, tools) =>
      inOpenStore(subject, tools, async (store) => {
        await raceForOneId([store], 'through one store', tools);
        await raceTurnByTurn(store, tools);
      }),
  },
  {
    id: 'PR-7',
    title: 'taken ids and races are decided across stores that are open on the same data',
    appliesTo: (subject) => subject.capabilities.shared,
    check: (subject, tools) =>
      inOpenStore(subject, tools, (one, prepared) =>
        inStoreOn(
          subject,
          prepared,
          tools,
          (other) => raceAcross(one, other, tools),
          'opened a second store on the same data',
        ),
      ),
  },
];

/** Different plants show who won; equal plants show that only one caller is told `added`. */
const kinds = ['different', 'equal'] as const;

/** A few, as many as are on their way together, and more than a pool or a batch holds; stores take turns. */
async function raceForOneId(stores: readonly [PlantStore, ...PlantStore[]], how: string, tools: Tools): Promise<void> {
  let id = 0n;
  for (const count of [2, 20, 200]) {
    for (const kind of kinds) {
      id += 1n;
      const racers = Array.from({ length: count }, (_, at) => {
        const name = kind === 'equal' ? `plant ${id}` : `plant ${id} of racer ${at}`;
        return { store: stores[at % stores.length] ?? stores[0], plant: { id, name, tag: 'tag' } };
      });
      await race(`${count} ${kind} plants raced for id ${id}, ${how}`, racers, tools);
    }
  }
}

/**
 * Each racer begins while the write of the one before it may be under way: a store that gathers adds decides between those
 * of one turn by itself, and so shows nothing of what its writes do to each other.
 */
async function raceTurnByTurn(store: PlantStore, tools: Tools): Promise<void> {
  for (const { ids, rounds } of TURN_BY_TURN) {
    for (let round = 1; round <= rounds; round += 1) {
      for (const kind of kinds) {
        const plants = plainPlants(ids, 1_000 * round + (kind === 'equal' ? 0 : 500) + ids);
        const racers = Array.from({ length: 6 }, (_, turn) =>
          plants.map((plant) => ({
            store,
            plant: kind === 'equal' ? plant : { ...plant, name: `${plant.name} of racer ${turn}` },
            turn,
          })),
        ).flat();
        const did = `6 ${kind} plants raced for ${ids === 1 ? 'one id' : `each of ${ids} ids`}, each a turn of the event loop behind the one before it`;
        await race(did, racers, tools);
      }
    }
  }
}

/**
 * A plant alone goes another way than several in many a store. So many rounds of either that a store is found out in which
 * a race seldom goes wrong: one on LevelDB that looked before it wrote, without a sync, was wrong in every fourth.
 */
const TURN_BY_TURN = [
  { ids: 1, rounds: 30 },
  { ids: 20, rounds: 4 },
] as const;

async function raceAcross(one: PlantStore, other: PlantStore, tools: Tools): Promise<void> {
  const plant = plainPlant(1);
  await put(one, plant);
  await expectStored(other, plant, `added ${show(plant)} through one store, and asked through another`);
  await raceForOneId([one, other], 'in turn through two stores', tools);
  for (let round = 1; round <= 4; round += 1) {
    for (const kind of kinds) {
      const mine = plainPlants(20, 100 * round + (kind === 'equal' ? 0 : 50));
      const theirs = mine.map((plant) => ({
        ...plant,
        name: `${plant.name}${kind === 'equal' ? '' : ', rival'}`,
      }));
      // In the same order they meet at every plant; in opposite ones, those who lock rows wait for each other.
      if (round % 2 === 0) theirs.reverse();
      const racers = [
        ...mine.map((plant) => ({ store: one, plant })),
        ...theirs.map((plant) => ({ store: other, plant })),
      ];
      await race(`20 ${kind} pairs of plants raced for an id each, through two stores`, racers, tools);
    }
  }
}
