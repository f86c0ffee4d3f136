import { type Clause, ContractViolation, show, type Tools } from '@plant-store/contracts-kit';
import { type AddResult, type NewPlant, PlantRefused, type PlantStore, StoreUnavailable } from '@plant-store/domain';
import { addNew, addPlant, expectExists, expectStored, expectThrows } from '../expectations.ts';
import { withFixture, withStore } from '../fixture.ts';
import type { Database } from '../model/database.ts';
import { ADDED, type ModelStore, type Outcome, type StoreMutation } from '../model/model-store.ts';
import { plainPlant, plainPlants } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';

/** Concurrent adds: PR-6, PR-7, PR-9, PR-16 and PR-26. */
export const concurrencyClauses: readonly Clause<StoreHarness, StoreMutation>[] = [
  {
    id: 'PR-6',
    shows: 'P3/F6',
    title: 'if plants race for one id, exactly one is stored, and every other call returns it',
    check: withStore((store, { tools }) => runRaces([store], tools)),
    mutants: {
      'infers from the returned ids which plants of a batch it stored': ({ exists }, { database }) => ({
        async commit(batch) {
          await database.roundTrip();
          const ids = new Set([...database.insert(batch)].map(({ id }) => id));
          await database.flush();
          return batch.map((plant) => (ids.has(plant.id) ? ADDED : exists(plant)));
        },
      }),
      'batches adds of one turn, and lets each batch check which ids are free before it inserts': (
        { exists },
        { database },
      ) => {
        const batch = new Map<bigint, Promise<Outcome>>();
        return {
          async enqueue(plant) {
            const first = batch.get(plant.id);
            if (first) return first.then(() => exists(plant) as AddResult);
            const adding = checkThenInsert(database, plant, exists);
            batch.set(plant.id, adding);
            void database.sleep(0).then(() => batch.delete(plant.id));
            return adding as Promise<AddResult>;
          },
        };
      },
      'checks which ids are free before it queues adds, once a hundred are queued': ({ enqueue }, { database }) => {
        let queued = 0;
        return {
          async enqueue(plant) {
            queued += 1;
            const isFree = queued > 100 && !database.rows.has(plant.id);
            const result = await enqueue(plant).finally(() => (queued -= 1));
            return isFree ? ADDED : result;
          },
        };
      },
    },
  },
  {
    id: 'PR-7',
    shows: 'P3/F6 P3/F10',
    title: 'taken ids and races are resolved across stores that are open on the same data',
    appliesTo: ({ capabilities }) => capabilities.shared,
    check: withStore((one, fixture) =>
      fixture.withStore(async (other) => {
        const plant = plainPlant(1);
        await addNew(one, plant);
        await expectStored(other, plant, `added ${show(plant)} through one store, and looked it up through another`);
        await runRaces([one, other], fixture.tools);
      }, 'opened a second store on the same data'),
    ),
    mutants: {
      'checks whether the id is free, then inserts, under a lock of its own process': ({ exists }, { database }) => ({
        async commit(batch) {
          const outcomes: Outcome[] = [];
          for (const plant of batch) outcomes.push(await checkThenInsert(database, plant, exists));
          return outcomes;
        },
      }),
      'locks rows in the order of the adds, and fails if two stores deadlock': ({ write }, { database }) => ({
        async write(batch) {
          const all = locked.get(database) ?? new Set();
          locked.set(database, all);
          const ids = batch.map(({ id }) => id);
          if ([...all].some((others) => isCrossing(ids, others)))
            return batch.map(() => new StoreUnavailable('deadlock detected'));
          all.add(ids);
          return write(batch).finally(() => all.delete(ids));
        },
      }),
    },
  },
  {
    id: 'PR-9',
    shows: 'P3/F6',
    title: 'an add whose id is taken does not affect concurrent adds',
    check: withStore(async (store) => {
      const taken = plainPlant(1);
      await addNew(store, taken);
      await expectUnaffected(store, `another plant under the taken id ${taken.id}`, async (action) =>
        expectExists(await addPlant(store, { ...taken, name: 'a rival' }, action), taken, action),
      );
    }),
    mutants: {
      'returns `added` for the plants beside a taken id, and rolls them back, as INSERT OR ROLLBACK does': (
        { commit },
        { database },
      ) => ({
        async commit(batch) {
          const outcomes = await commit(batch);
          const added = batch.filter((_, at) => outcomes[at] === ADDED);
          if (added.length < batch.length) for (const { id } of added) database.write(id, undefined);
          return outcomes;
        },
      }),
      'acquires one of ten connections for each conflict, and never releases it': ({ write }, store) => ({
        async write(batch) {
          const outcomes = await write(batch);
          for (const each of outcomes) if (each !== ADDED) await store.acquire();
          return outcomes;
        },
      }),
    },
  },
  {
    id: 'PR-16',
    shows: 'P4',
    title: 'adding a plant that the store refuses throws PlantRefused, and does not affect concurrent adds',
    check: withFixture(async (fixture) => {
      const refused = plainPlant(13);
      await fixture.refuse(refused);
      await fixture.withStore(async (store) => {
        await expectUnaffected(store, `${show(refused)}, which the store is set up to refuse`, (action) =>
          expectThrows(action, () => store.plants.add(refused), PlantRefused),
        );
        const others = plainPlants(100, 1_001);
        const action = `added ${show(refused)}, which the store is set up to refuse, between 100 others at once`;
        const adding = others.map((plant) => addNew(store, plant, () => `${action}; the result for ${show(plant)}`));
        const refusing = expectThrows(`${action}; its result`, () => store.plants.add(refused), PlantRefused);
        await Promise.all([refusing, ...adding]);
        for (const plant of others) await expectStored(store, plant, () => `${action}; ${show(plant)} was added`);
      });
    }),
    mutants: {
      'returns `added` for the plants beside a refused one, and rolls them back with it': (_, { database }) => ({
        retryAlone: async (batch, reason) => batch.map(({ id }) => (database.refusedIds.has(id) ? reason : ADDED)),
      }),
      'gives up a large batch for one refused plant': ({ retryAlone }) => ({
        retryAlone: async (batch, reason) => (batch.length > 20 ? batch.map(() => reason) : retryAlone(batch, reason)),
      }),
      'throws StoreUnavailable if it refuses a plant': ({ retryAlone }) => ({
        retryAlone: (batch, cause) =>
          retryAlone(batch, PlantRefused.is(cause) ? new StoreUnavailable('refused', { cause }) : cause),
      }),
    },
  },
  {
    id: 'PR-26',
    shows: 'P3/F6',
    title: 'a plant that is stored gets the same result again, even if the database would refuse it by now',
    check: withFixture(async (fixture) => {
      const plant = plainPlant(13);
      await fixture.withStore((store) => addNew(store, plant));
      await fixture.refuse(plant);
      const action = `added ${show(plant)}, made the database refuse it, and opened another store`;
      await fixture.withStore(async (store) => {
        const expectAgain = async (what: string) =>
          expectExists(await addPlant(store, plant, `${action}; ${what}`), plant, `${action}; ${what}`);
        await expectAgain('added it again');
        await expectUnaffected(store, `${show(plant)}, which is stored and would be refused`, expectAgain);
        // Shows the stored plant, by another one under its id.
        await expectStored(store, plant, action);
      });
    }),
    mutants: {
      'throws PlantRefused for a stored plant that the database would refuse': () => ({
        refuse: (_, reason) => reason,
      }),
      'looks a refused plant up only until plants were refused in a batch': ({ refuse, retryAlone }) => {
        let isBatched = false;
        return {
          retryAlone(batch, reason) {
            isBatched ||= batch.length > 1;
            return retryAlone(batch, reason);
          },
          refuse: (plant, reason) => (isBatched ? reason : refuse(plant, reason)),
        };
      },
      'returns a refused plant as the stored one if its id is taken': ({ refuse }) => ({
        refuse: (plant, reason) => (refuse(plant, reason) === reason ? reason : { outcome: 'exists', plant }),
      }),
    },
  },
];

/** The numbers of racers and of ids, and how many turns of the event loop each racer begins after the one before it. */
const RACES = [
  // Two racers, a usual number of adds in flight, and more than a pool or a batch holds.
  { count: 2, ids: 1, turns: 0 },
  { count: 20, ids: 1, turns: 0 },
  { count: 200, ids: 1, turns: 0 },
  // Later racers are in other batches, in which the store cannot compare them before it writes.
  { count: 20, ids: 1, turns: 1 },
  // Every second racer adds the ids in the opposite order, in which stores that lock rows may deadlock.
  { count: 2, ids: 20, turns: 0 },
  { count: 4, ids: 20, turns: 0 },
] as const;

/** Runs every race, with the racers distributed over the stores. */
async function runRaces(stores: readonly PlantStore[], tools: Tools): Promise<void> {
  for (const [nth, race] of RACES.entries()) {
    // Different plants show which one is stored. Equal plants show that only one call returns `added`.
    for (const kind of ['different', 'equal'] as const) {
      const plants = plainPlants(race.ids, 100 * (nth + 1) + (kind === 'equal' ? 50 : 0));
      await runRace(race, kind, plants, stores, tools);
    }
  }
}

/** Adds rivals of each plant, and expects that exactly one of them is added and every other call returns that one. */
async function runRace(
  { count, ids, turns }: (typeof RACES)[number],
  kind: 'different' | 'equal',
  plants: readonly NewPlant[],
  stores: readonly PlantStore[],
  { nextTurn }: Tools,
): Promise<void> {
  const when = turns > 0 ? ', each a turn of the event loop after the one before it' : '';
  const through = stores.length > 1 ? 'in turn through two stores' : 'through one store';
  const action = `${count} ${kind} plants raced for each of ${ids} ids, ${through}${when}`;
  const addAs = async (racer: number) => {
    for (let turn = 0; turn < turns * racer; turn += 1) await nextTurn();
    const store = stores[racer % stores.length] as PlantStore;
    const own = plants.map((plant) => (kind === 'equal' ? plant : { ...plant, name: `${plant.name} of ${racer}` }));
    const adding = (racer % 2 === 0 ? own : own.reverse()).map(async (plant) => {
      return { plant, result: await addPlant(store, plant, () => `${action}; the result for ${show(plant)}`) };
    });
    return Promise.all(adding);
  };
  const results = await Promise.all(Array.from({ length: count }, (_, racer) => addAs(racer)));
  for (const [id, rivals] of Map.groupBy(results.flat(), ({ plant }) => plant.id)) {
    const [winner, ...others] = rivals.filter(({ result }) => result.outcome === 'added');
    if (!winner || others.length > 0) {
      const actual = `${winner ? 1 + others.length : 'none'} of ${rivals.length} calls for id ${id} returned \`added\``;
      throw new ContractViolation(action, actual, 'exactly one does');
    }
    const outcome = () => `${action}; ${show(winner.plant)} was added`;
    for (const rival of rivals) if (rival !== winner) expectExists(rival.result, winner.plant, outcome);
    for (const store of stores) await expectStored(store, winner.plant, outcome);
  }
}

/** Expects that an add does not affect concurrent ones. If each of the 30 rounds leaks a connection, a usual pool is used up. */
async function expectUnaffected(store: PlantStore, what: string, add: (action: string) => Promise<unknown>) {
  for (let round = 1; round <= 30; round += 1) {
    const action = `round ${round}: added two plants at once, and between them ${what}`;
    const addOwn = (plant: NewPlant) => addNew(store, plant, () => `${action}; the result for ${show(plant)}`);
    const [first, last] = plainPlants(2, 10 * round) as [NewPlant, NewPlant];
    await Promise.all([addOwn(first), add(`${action}; the result for that one`), addOwn(last)]);
    for (const plant of [first, last]) await expectStored(store, plant, () => `${action}; ${show(plant)} was added`);
  }
}

/** Is correct only while no other connection adds the same id. */
async function checkThenInsert(database: Database, plant: NewPlant, exists: ModelStore['exists']): Promise<Outcome> {
  await database.roundTrip();
  const isTaken = database.rows.has(plant.id);
  await database.roundTrip();
  if (!isTaken) database.overwrite(plant);
  await database.flush();
  return isTaken ? exists(plant) : ADDED;
}

/** The ids of the batches in flight, each in the order in which it locks the rows. */
const locked = new WeakMap<Database, Set<readonly bigint[]>>();

function isCrossing(ids: readonly bigint[], others: readonly bigint[]): boolean {
  const common = ids.filter((id) => others.includes(id));
  const first = common[0];
  const last = common.at(-1);
  return first !== undefined && last !== undefined && others.indexOf(first) > others.indexOf(last);
}
