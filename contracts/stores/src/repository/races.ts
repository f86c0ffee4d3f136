import { type Clause, show, type Tools } from '@plant-store/contracts-kit';
import type { PlantStore } from '@plant-store/domain';
import { addNew, expectStored } from '../expectations.ts';
import { inOpenStore, inStoreOn } from '../prepared-store.ts';
import { plainPlant, plainPlants, plantUnder } from '../samples/plants.ts';
import type { StoreHarness } from '../store-harness.ts';
import { race } from './race.ts';

/** Which of several plants gets an id: PR-6 and PR-7. */
export const raceClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-6',
    title: 'of the plants that race for one id exactly one is stored, and every other caller gets that one',
    check: (harness, tools) =>
      inOpenStore(harness, tools, async (store) => {
        await raceForOneId([store], 'through one store', tools);
        await raceTurnByTurn(store, tools);
      }),
  },
  {
    id: 'PR-7',
    title: 'taken ids and races are resolved across stores that are open on the same data',
    appliesTo: ({ capabilities }) => capabilities.shared,
    check: (harness, tools) =>
      inOpenStore(harness, tools, (one, prepared) =>
        inStoreOn(
          harness,
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

/** Two, as many as are usually in flight, and more than a pool or a batch holds; stores take turns. */
async function raceForOneId(stores: readonly [PlantStore, ...PlantStore[]], how: string, tools: Tools): Promise<void> {
  let id = 0n;
  for (const count of [2, 20, 200]) {
    for (const kind of kinds) {
      id += 1n;
      const racers = Array.from({ length: count }, (_, at) => {
        const name = kind === 'equal' ? `plant ${id}` : `plant ${id} of racer ${at}`;
        return { store: stores[at % stores.length] ?? stores[0], plant: { ...plantUnder(id), name } };
      });
      await race(`${count} ${kind} plants raced for id ${id}, ${how}`, racers, tools);
    }
  }
}

/**
 * Each racer begins while the write of the one before it may be in flight: a store with group commit decides between those
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
        const action = `6 ${kind} plants raced for ${ids === 1 ? 'one id' : `each of ${ids} ids`}, each a turn of the event loop after the one before it`;
        await race(action, racers, tools);
      }
    }
  }
}

/**
 * Many a store writes a plant alone by another code path than several. Enough rounds of either to catch a store in which a
 * race seldom goes wrong: one on LevelDB that looked before it wrote, without a sync, was wrong in every fourth.
 */
const TURN_BY_TURN = [
  { ids: 1, rounds: 30 },
  { ids: 20, rounds: 4 },
] as const;

async function raceAcross(one: PlantStore, other: PlantStore, tools: Tools): Promise<void> {
  const plant = plainPlant(1);
  await addNew(one, plant);
  await expectStored(other, plant, `added ${show(plant)} through one store, and looked it up through another`);
  await raceForOneId([one, other], 'in turn through two stores', tools);
  for (let round = 1; round <= 4; round += 1) {
    for (const kind of kinds) {
      const mine = plainPlants(20, 100 * round + (kind === 'equal' ? 0 : 50));
      const theirs = mine.map((plant) => ({
        ...plant,
        name: `${plant.name}${kind === 'equal' ? '' : ', rival'}`,
      }));
      // In the same order they meet at every plant; in opposite orders, stores that lock rows deadlock.
      if (round % 2 === 0) theirs.reverse();
      const racers = [
        ...mine.map((plant) => ({ store: one, plant })),
        ...theirs.map((plant) => ({ store: other, plant })),
      ];
      await race(`20 ${kind} pairs of plants raced for an id each, through two stores`, racers, tools);
    }
  }
}
