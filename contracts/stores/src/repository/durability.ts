import { type Clause, resolved, show, unlessUnavailable } from '@plant-store/contracts-kit';
import { type NewPlant, type PlantStore, StoreUnavailable } from '@plant-store/domain';
import { addNew, expectStored, inChunks } from '../expectations.ts';
import { closeQuietly, type Fixture, withFixture } from '../fixture.ts';
import { hardPlants, plainPlant, plainPlants } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';

/** What an acknowledgement means: PR-10, PR-11 and PR-18. */
export const durabilityClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-10',
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
  },
  {
    id: 'PR-11',
    title: 'an acknowledged plant is there after the process was killed',
    appliesTo: ({ capabilities }) => capabilities.survivesCrash,
    check: withFixture(async (fixture) => {
      const opening = fixture.require('openInProcess');
      const killable = await resolved('called openInProcess()', opening, 'it resolves with a store');
      const store = fixture.limited(killable);
      const adding = addUntilKilled(fixture, [store, store], (finish) => killable.kill().then(finish));
      const plants = await adding.finally(() => killable.kill());
      const action = `killed its process (${plants.length} were acknowledged), and opened a store again`;
      await expectFoundAgain(fixture, plants, action);
    }),
  },
  {
    id: 'PR-18',
    title: 'an acknowledged plant is there after the server behind the store was killed and started again',
    appliesTo: ({ capabilities }) => capabilities.survivesServerCrash,
    check: withFixture(async (fixture) => {
      fixture.require('killServer');
      const plants = await fixture.withStore((store) => {
        const add = (other: PlantStore) =>
          addUntilKilled(fixture, [store, other], (finish) => fixture.during('killServer', finish));
        // One store would batch both calls, and return once the row is durable. A second store may read it earlier.
        return fixture.capabilities.shared ? fixture.withStore(add) : add(store);
      });
      const action = `killed the server (${plants.length} were acknowledged), started it and opened a store again`;
      await expectFoundAgain(fixture, plants, action);
    }),
  },
];

async function expectFoundAgain(fixture: Fixture, plants: readonly NewPlant[], action: string): Promise<void> {
  const expectAll = (store: PlantStore) =>
    inChunks(plants, (plant) => expectStored(store, plant, () => `added ${show(plant)}, ${action}`));
  await fixture.withStore(expectAll, action);
}

/**
 * Adds plants until the kill, each by two concurrent calls, and resolves with those that were acknowledged to either.
 *
 * @param kill also calls a function that resolves once no call is in flight.
 */
async function addUntilKilled(
  { tools }: Fixture,
  [one, other]: readonly [PlantStore, PlantStore],
  kill: (finish: () => Promise<void>) => Promise<void>,
): Promise<NewPlant[]> {
  await addNew(one, plainPlant(1));
  const acknowledged = new Set([plainPlant(1)]);
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
      if (acknowledged.size >= (isEarly ? 100 : 400)) enough.resolve();
      return true;
    };
    // At the same time, both calls would be in one batch.
    const delay = delayMs > 0 ? tools.sleep(delayMs) : Promise.resolve();
    return (await Promise.all([addTo(one), delay.then(() => addTo(other))])).every(Boolean);
  }

  async function addOneByOne(delayMs: number): Promise<void> {
    for (let succeeds = true; succeeds && !isOver; ) {
      last += 1;
      succeeds = await addTwice(plainPlant(last), delayMs);
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
  return [...acknowledged];
}
