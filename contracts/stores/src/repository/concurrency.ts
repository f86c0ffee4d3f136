import { type Clause, ContractViolation, show, type Tools } from '@plant-store/contracts-kit';
import { type NewPlant, PlantRefused, type PlantStore } from '@plant-store/domain';
import { addNew, addPlant, expectExists, expectStored, expectThrows } from '../expectations.ts';
import { inPlace, inStore } from '../place.ts';
import { plainPlant, plainPlants } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';

/** What concurrent adds do to each other: PR-6, PR-7, PR-9 and PR-16. Batches are for the contract of their engine. */
export const concurrencyClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-6',
    title: 'of the plants that race for one id exactly one is stored, and every other caller gets that one',
    check: inStore((store, { tools }) => raceIn([store], tools)),
  },
  {
    id: 'PR-7',
    title: 'taken ids and races are resolved across stores that are open on the same data',
    appliesTo: ({ capabilities }) => capabilities.shared,
    check: inStore((one, place) =>
      place.withStore(async (other) => {
        const plant = plainPlant(1);
        await addNew(one, plant);
        await expectStored(other, plant, `added ${show(plant)} through one store, and looked it up through another`);
        await raceIn([one, other], place.tools);
      }, 'opened a second store on the same data'),
    ),
  },
  {
    id: 'PR-9',
    title: 'an add whose id is taken does not affect concurrent adds',
    check: inStore(async (store) => {
      const taken = plainPlant(1);
      await addNew(store, taken);
      await expectUnaffected(store, `another plant under the taken id ${taken.id}`, async (action) =>
        expectExists(await addPlant(store, { ...taken, name: 'a rival' }, action), taken, action),
      );
    }),
  },
  {
    id: 'PR-16',
    title: 'a plant that the store rejects fails with PlantRefused, and alone',
    check: inPlace(async (place) => {
      const refused = await place.refusedPlant();
      await place.withStore((store) =>
        expectUnaffected(store, `${show(refused)}, which the store is set up to reject`, (action) =>
          expectThrows(action, () => store.plants.add(refused), PlantRefused),
        ),
      );
    }),
  },
];

/** How many race for each of so many ids, and how many turns of the event loop after each other they begin. */
const RACES = [
  // Two, as many as are usually in flight, and more than a pool or a batch holds.
  { count: 2, ids: 1, turns: 0 },
  { count: 20, ids: 1, turns: 0 },
  { count: 200, ids: 1, turns: 0 },
  // What a store writes at once it can compare. Batches that are in flight together are for its engine's contract.
  { count: 20, ids: 1, turns: 1 },
  // Every second racer adds them in the opposite order: stores that lock rows deadlock.
  { count: 2, ids: 20, turns: 0 },
  { count: 4, ids: 20, turns: 0 },
] as const;

/** Has racers race for ids, which take turns at the stores. */
async function raceIn(stores: readonly PlantStore[], tools: Tools): Promise<void> {
  for (const [nth, { count, ids, turns }] of RACES.entries()) {
    // Different plants show who won; equal plants show that only one caller is told `added`.
    for (const kind of ['different', 'equal'] as const) {
      const plants = plainPlants(ids, 100 * (nth + 1) + (kind === 'equal' ? 50 : 0));
      const racers = Array.from({ length: count }, (_, at) => {
        const nameOf = (name: string) => (kind === 'equal' ? name : `${name} of racer ${at}`);
        const own = plants.map((plant) => ({ ...plant, name: nameOf(plant.name) }));
        const inOrder = at % 2 === 0 ? own : own.reverse();
        const [store] = stores.slice(at % stores.length);
        return inOrder.map((plant) => ({ store: store as PlantStore, plant, turn: turns * at }));
      });
      const when = turns > 0 ? ', each a turn of the event loop after the one before it' : '';
      const through = stores.length > 1 ? 'in turn through two stores' : 'through one store';
      await race(`${count} ${kind} plants raced for each of ${ids} ids, ${through}${when}`, racers.flat(), tools);
    }
  }
}

/** An add whose id others want as well, and how many turns of the event loop after the first it begins. */
interface Racer {
  readonly store: PlantStore;
  readonly plant: NewPlant;
  readonly turn: number;
}

/** Adds plants, and expects that of those under one id exactly one is added and every other caller gets that one. */
async function race(action: string, racers: readonly Racer[], { nextTurn }: Tools): Promise<void> {
  const stores = new Set(racers.map(({ store }) => store));
  const results = await Promise.all(
    racers.map(async ({ store, plant, turn }) => {
      for (let waited = 0; waited < turn; waited += 1) await nextTurn();
      return { plant, result: await addPlant(store, plant, () => `${action}; the result for ${show(plant)}`) };
    }),
  );
  for (const [id, rivals] of Map.groupBy(results, ({ plant }) => plant.id)) {
    const [winner, ...others] = rivals.filter(({ result }) => result.outcome === 'added');
    if (!winner || others.length > 0) {
      const actual = `${winner ? 1 + others.length : 'none'} of ${rivals.length} callers for id ${id} got \`added\``;
      throw new ContractViolation(action, actual, 'exactly one does');
    }
    const outcome = () => `${action}; ${show(winner.plant)} was added`;
    for (const rival of rivals) if (rival !== winner) expectExists(rival.result, winner.plant, outcome);
    for (const store of stores) await expectStored(store, winner.plant, outcome);
  }
}

/** Thirty times, which uses up any usual pool if each time costs a connection. */
async function expectUnaffected(store: PlantStore, what: string, add: (action: string) => Promise<unknown>) {
  for (let round = 1; round <= 30; round += 1) {
    const action = `round ${round}: added two plants at once, and between them ${what}`;
    const addOwn = (plant: NewPlant) => addNew(store, plant, () => `${action}; the result for ${show(plant)}`);
    const [first, last] = plainPlants(2, 10 * round) as [NewPlant, NewPlant];
    await Promise.all([addOwn(first), add(`${action}; the result for that one`), addOwn(last)]);
    for (const plant of [first, last]) await expectStored(store, plant, () => `${action}; ${show(plant)} was added`);
  }
}
