import { type Clause, resolved, show, unlessUnavailable } from '@plant-store/contracts-kit';
import {
  type AddResult,
  type NewPlant,
  optionalTextFields,
  type PlantStore,
  StoreUnavailable,
} from '@plant-store/domain';
import { addNew, addPlant, expectExists, expectStored, inChunks } from '../expectations.ts';
import { expectAll, readAll } from '../export/contract.ts';
import { closeQuietly, type Fixture, withFixture } from '../fixture.ts';
import { ADDED, type StoreMutation } from '../model/model-store.ts';
import { hardPlants, plainPlant, plainPlants } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';

/** What an acknowledgement means: PR-10, PR-11 and PR-18. */
export const durabilityClauses: readonly Clause<StoreHarness, StoreMutation>[] = [
  {
    id: 'PR-10',
    shows: 'P1/F1',
    title: 'an acknowledged plant is there after the store is closed and opened again',
    appliesTo: ({ capabilities }) => capabilities.durable,
    check: withFixture(async (fixture) => {
      const store = await fixture.open();
      const plants = hardPlants();
      await Promise.all(plants.map((plant) => addNew(store, plant)));
      // Adds in flight may fail when the store is closed. PR-15 checks that they do not.
      const late = plainPlants(50, 1_000);
      const inFlight = Promise.allSettled(late.map((plant) => store.plants.add(plant)));
      await closeQuietly(store);
      const results = await inFlight;
      const acknowledged = [...plants, ...late.filter((_, at) => results[at]?.status === 'fulfilled')];
      await expectFoundAgain(fixture, acknowledged, 'closed the store and opened one again');
    }),
    mutants: {
      'deletes its plants when it is closed': ({ close }, { database }) => ({
        close: () => close().then(() => database.rows.clear()),
      }),
      'cannot tell an absent text from an empty one on the disk': ({ open }, { database }) => ({
        async open() {
          await open();
          for (const [id, plant] of database.rows) database.rows.set(id, { ...emptyTexts, ...plant });
        },
      }),
      'returns `added` for adds in flight when it is closed, and does not store them': ({ write }, store) => ({
        write: async (batch) => (store.closed ? batch.map(() => ADDED) : write(batch)),
      }),
    },
  },
  {
    id: 'PR-11',
    shows: 'P1/F1 P3/F1',
    title: 'an acknowledged plant is there after the process was killed, and no other one in part',
    appliesTo: ({ capabilities }) => capabilities.survivesCrash,
    check: withFixture(async (fixture) => {
      const opening = fixture.require('openInProcess');
      fixture.require('export');
      const killable = await resolved('called openInProcess()', opening, 'it resolves with a store');
      const store = fixture.limited(killable);
      const adding = addUntilKilled(fixture, [store, store], (finish) => killable.kill().then(finish));
      const { acknowledged, inFlight } = await adding.finally(() => killable.kill());
      const action = `killed its process (${acknowledged.length} were acknowledged), and opened a store again`;
      await expectFoundAgain(fixture, acknowledged, action, inFlight);
    }),
    mutants: {
      'writes plants in place, and a kill leaves half a text': ({ exists }, { database }) => ({
        async enqueue(plant) {
          await database.roundTrip();
          const isNew = database.insert([{ ...plant, name: plant.name.slice(0, 3) }]).size > 0;
          await database.flush();
          // So long that some plant is in this state whenever the process is killed.
          await database.sleep(10);
          if (isNew) database.overwrite(plant);
          await database.flush();
          return isNew ? ADDED : (exists(plant) as AddResult);
        },
      }),
      'returns once the commit has begun': (_, { database }) => ({
        makeDurable: async () => void database.flush().catch(() => {}),
      }),
      'returns `exists` for a row whose commit is in flight': ({ commit, exists, makeDurable }, { database }) => ({
        enqueue: async (plant) =>
          (database.rows.has(plant.id) ? exists(plant) : (await commit([plant]))[0]) as AddResult,
        makeDurable: (inserted) => database.sleep(10).then(() => makeDurable(inserted)),
      }),
    },
  },
  {
    id: 'PR-18',
    shows: 'P1/F2 P3/F2',
    title: 'an acknowledged plant is there after the server was killed and started again, and no other one in part',
    appliesTo: ({ capabilities }) => capabilities.survivesServerCrash,
    check: withFixture(async (fixture) => {
      fixture.require('killServer');
      fixture.require('export');
      const { acknowledged, inFlight } = await fixture.withStore((store) => {
        const add = (other: PlantStore) =>
          addUntilKilled(fixture, [store, other], (finish) => fixture.during('killServer', finish));
        // One store would batch both calls, and return once the row is durable. A second store may read it earlier.
        return fixture.capabilities.shared ? fixture.withStore(add) : add(store);
      });
      const killed = `killed the server (${acknowledged.length} were acknowledged)`;
      await expectFoundAgain(fixture, acknowledged, `${killed}, started it and opened a store again`, inFlight);
    }),
    mutants: {
      'returns before the server flushes the commit, as with synchronous_commit = off': (_, { database }) => ({
        async makeDurable() {
          void database.sleep(200).then(() => database.flush().catch(() => {}));
        },
      }),
      'returns `exists` for a row of another store that is not durable yet': ({ makeDurable }) => ({
        makeDurable: (inserted) => (inserted.size > 0 ? makeDurable(inserted) : Promise.resolve()),
      }),
      'never returns if the connection is lost': ({ add }, { database }) => ({
        add: (plant) => add(plant).catch((error) => (database.isDown ? new Promise(() => {}) : Promise.reject(error))),
      }),
    },
  },
];

/** Opens a store, and expects that it has the acknowledged plants, and each other one as a whole or not at all. */
async function expectFoundAgain(
  fixture: Fixture,
  acknowledged: readonly NewPlant[],
  action: string,
  inFlight?: readonly NewPlant[],
): Promise<void> {
  await fixture.withStore(async (store) => {
    await inChunks(acknowledged, (plant) => expectStored(store, plant, () => `added ${show(plant)}, ${action}`));
    if (!inFlight) return;
    await inChunks(inFlight, async (plant) => {
      const again = () => `added ${show(plant)}, ${action}, and added it again`;
      const result = await addPlant(store, plant, again);
      if (result.outcome === 'exists') expectExists(result, plant, again);
    });
    const reading = `${action}, then read all plants`;
    const exported = fixture.require('export')();
    expectAll(await readAll(exported, reading), [...acknowledged, ...inFlight], reading);
  }, action);
}

/** A plant of these clauses. Every eighth takes many pages, so that a kill can leave a part of it. */
const numbered = (at: number): NewPlant =>
  at % 8 > 0 ? plainPlant(at) : { ...plainPlant(at), tag: `tag ${at} `.repeat(20_000) };

/**
 * Adds plants until the kill, each by two concurrent calls. Resolves with those that were acknowledged to either, and the others.
 *
 * @param kill also calls a function that resolves once no call is in flight.
 */
async function addUntilKilled(
  { tools }: Fixture,
  [one, other]: readonly [PlantStore, PlantStore],
  kill: (finish: () => Promise<void>) => Promise<void>,
): Promise<{ readonly acknowledged: readonly NewPlant[]; readonly inFlight: readonly NewPlant[] }> {
  const first = numbered(1);
  await addNew(one, first);
  const acknowledged = new Set([first]);
  const added = new Set([first]);
  const enough = Promise.withResolvers<void>();
  let last = 1;
  let isOver = false;

  /** Resolves with whether both calls succeeded. */
  async function addTwice(plant: NewPlant, delayMs: number): Promise<boolean> {
    const action = () => `added ${show(plant)} at about the time of the kill`;
    let returned = 0;
    const addTo = async (store: PlantStore) => {
      const result = await unlessUnavailable(action, () => store.plants.add(plant), StoreUnavailable);
      returned += 1;
      // Both calls may return at the same moment, in either order.
      await tools.nextTurn();
      if (!result) return false;
      acknowledged.add(plant);
      // The best moment for a kill: the plant may not be durable yet, because the call that stores it is pending.
      const isEarly = result.value.outcome === 'exists' && returned === 1;
      // By the hundredth plant, every connection has been used.
      if (acknowledged.size >= (isEarly ? 100 : 250)) enough.resolve();
      return true;
    };
    // At the same time, both calls would be in one batch.
    const delay = delayMs > 0 ? tools.sleep(delayMs) : Promise.resolve();
    return (await Promise.all([addTo(one), delay.then(() => addTo(other))])).every(Boolean);
  }

  async function addOneByOne(delayMs: number): Promise<void> {
    for (let succeeds = true; succeeds && !isOver; ) {
      last += 1;
      const plant = numbered(last);
      added.add(plant);
      succeeds = await addTwice(plant, delayMs);
      // Yields to the event loop, because the store may never do so.
      await tools.sleep(0);
    }
  }

  // Each add is followed by another one immediately, so some are in flight at the kill. A commit takes up to some 6 ms.
  const adding = Promise.all(Array.from({ length: 20 }, (_, at) => addOneByOne(at % 6)));
  try {
    await Promise.race([enough.promise, adding]);
    await kill(async () => {
      isOver = true;
      await adding.catch(() => {});
    });
    await adding;
  } finally {
    isOver = true;
  }
  return { acknowledged: [...acknowledged], inFlight: [...added].filter((plant) => !acknowledged.has(plant)) };
}

const emptyTexts = Object.fromEntries(optionalTextFields.map((field) => [field, '']));
