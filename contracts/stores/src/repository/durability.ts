import { type Clause, ContractViolation, resolved, show, unlessUnavailable } from '@plant-store/contracts-kit';
import { type NewPlant, type PlantStore, StoreUnavailable } from '@plant-store/domain';
import { addTwice, LATER_MS } from '../crash/add-twice.ts';
import { addNew, expectStored, inPortions } from '../expectations.ts';
import { closeQuietly, inPlace, type Place } from '../place.ts';
import { hardPlants, plainPlant, plainPlants } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';

/** What an acknowledgement means: PR-10, PR-11 and PR-18. */
export const durabilityClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-10',
    title: 'an acknowledged plant is there after the store is closed and opened again',
    appliesTo: ({ capabilities }) => capabilities.durable,
    check: inPlace(async (place) => {
      const store = await place.open();
      const plants = hardPlants();
      await Promise.all(plants.map((plant) => addNew(store, plant)));
      // What is in flight when it is closed may fail: that is for PR-15 to check.
      const late = plainPlants(50, 1_000);
      const inFlight = Promise.allSettled(late.map((plant) => store.plants.add(plant)));
      await closeQuietly(store);
      const results = await inFlight;
      const acknowledged = [...plants, ...late.filter((_, at) => results[at]?.status === 'fulfilled')];
      await expectFoundAgain(place, acknowledged, 'closed the store and opened one again');
    }),
  },
  {
    id: 'PR-11',
    title: 'an acknowledged plant is there after the process was killed',
    appliesTo: ({ capabilities }) => capabilities.survivesCrash,
    check: inPlace(async (place) => {
      const addUntilKilled = place.means('addUntilKilled');
      const killing = () => addUntilKilled(plainPlants(5_000));
      const plants = await resolved('called addUntilKilled()', killing, 'it resolves with the acknowledged plants');
      const action = `killed its process (${plants.length} were acknowledged), and opened a store again`;
      await expectFoundAgain(place, plants, action);
    }),
  },
  {
    id: 'PR-18',
    title: 'an acknowledged plant is there after the server behind the store was killed and started again',
    appliesTo: ({ capabilities }) => capabilities.survivesServerCrash,
    check: inPlace(async (place) => {
      place.means('killServer');
      const plants = await place.withStore((store) => {
        if (!place.capabilities.shared) return addUntilServerIsKilled(place, store, store);
        // One store would batch the two callers, and answer both once the row is durable. Two are told by the server.
        return place.withStore((other) => addUntilServerIsKilled(place, store, other));
      });
      const action = `killed the server (${plants.length} were acknowledged), started it and opened a store again`;
      await expectFoundAgain(place, plants, action);
    }),
  },
];

async function expectFoundAgain(place: Place, plants: readonly NewPlant[], action: string): Promise<void> {
  // A clause that looks for acknowledged plants would miss nothing if there were none.
  if (plants.length === 0) throw new ContractViolation(action, 'no plant had been acknowledged', 'at least one is');
  const expectAll = (store: PlantStore) =>
    inPortions(plants, (plant) => expectStored(store, plant, () => `added ${show(plant)}, ${action}`));
  await place.withStore(expectAll, action);
}

/** Adds plants until the kill, each by two callers, and resolves with those that were acknowledged. */
async function addUntilServerIsKilled(place: Place, store: PlantStore, other: PlantStore): Promise<NewPlant[]> {
  const { tools } = place;
  await addNew(store, plainPlant(1));
  const acknowledged = new Set([plainPlant(1)]);
  const enough = Promise.withResolvers<void>();
  let isOver = false;

  async function addOneByOne(first: number): Promise<void> {
    for (let at = first, succeeds = true; succeeds && !isOver; at += CONCURRENT_PLANTS) {
      const plant = plainPlant(at);
      const action = () => `added ${show(plant)} at about the time when the server was killed`;
      const adding = (to: PlantStore) => async () =>
        (await unlessUnavailable(action, () => to.plants.add(plant), StoreUnavailable))?.value;
      succeeds = await addTwice([adding(store), adding(other)], first % LATER_MS, tools, async (isEarly) => {
        acknowledged.add(plant);
        if (acknowledged.size > (isEarly ? ENOUGH : PLENTY)) enough.resolve();
      });
      // A store that never waits would let nothing else happen.
      await tools.sleep(0);
    }
  }

  const adding = Promise.all(Array.from({ length: CONCURRENT_PLANTS }, (_, at) => addOneByOne(2 + at)));
  try {
    await Promise.race([enough.promise, adding]);
    await place.during('killServer', async () => {
      isOver = true;
      await adding.catch(() => {});
    });
    await adding;
  } finally {
    isOver = true;
  }
  return [...acknowledged];
}

/** How many plants are added concurrently, each followed by another one immediately: some are in flight at the kill. */
const CONCURRENT_PLANTS = 20;

/** How many plants are acknowledged before the kill: by then, every connection has been used a few times. */
const ENOUGH = 100;

/** The same if the best moment does not come. */
const PLENTY = 400;
