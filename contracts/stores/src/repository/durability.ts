import { type Clause, ContractViolation, resolved, show, unlessUnavailable } from '@plant-store/contracts-kit';
import { type NewPlant, type PlantStore, StoreUnavailable } from '@plant-store/domain';
import { Acknowledged, addTwice, MAX_DELAY_MS } from '../crash/add-twice.ts';
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
      const addUntilKilled = fixture.require('addUntilKilled');
      const killing = () => addUntilKilled(plainPlants(5_000));
      const plants = await resolved('called addUntilKilled()', killing, 'it resolves with the acknowledged plants');
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
        if (!fixture.capabilities.shared) return addUntilServerIsKilled(fixture, store, store);
        // One store would batch the two calls, and return from both once the row is durable. Two stores see the server's row.
        return fixture.withStore((other) => addUntilServerIsKilled(fixture, store, other));
      });
      const action = `killed the server (${plants.length} were acknowledged), started it and opened a store again`;
      await expectFoundAgain(fixture, plants, action);
    }),
  },
];

async function expectFoundAgain(fixture: Fixture, plants: readonly NewPlant[], action: string): Promise<void> {
  // Without acknowledged plants, the clause would check nothing.
  if (plants.length === 0) throw new ContractViolation(action, 'no plant had been acknowledged', 'at least one is');
  const expectAll = (store: PlantStore) =>
    inChunks(plants, (plant) => expectStored(store, plant, () => `added ${show(plant)}, ${action}`));
  await fixture.withStore(expectAll, action);
}

/** Adds plants until the kill, each by two concurrent calls, and resolves with those that were acknowledged. */
async function addUntilServerIsKilled(fixture: Fixture, store: PlantStore, other: PlantStore): Promise<NewPlant[]> {
  const { tools } = fixture;
  await addNew(store, plainPlant(1));
  const acknowledged = new Acknowledged<NewPlant>();
  acknowledged.add(plainPlant(1), false);
  let last = 1;
  let isOver = false;

  async function addOneByOne(delayMs: number): Promise<void> {
    for (let succeeds = true; succeeds && !isOver; ) {
      last += 1;
      const plant = plainPlant(last);
      const action = () => `added ${show(plant)} at about the time when the server was killed`;
      const adding = (to: PlantStore) => async () =>
        (await unlessUnavailable(action, () => to.plants.add(plant), StoreUnavailable))?.value;
      succeeds = await addTwice([adding(store), adding(other)], delayMs, tools, async (isEarly) =>
        acknowledged.add(plant, isEarly),
      );
      // Yields to the event loop, because the store may never do so.
      await tools.sleep(0);
    }
  }

  // Each add is followed by another one immediately, so some are in flight at the kill.
  const adding = Promise.all(Array.from({ length: 20 }, (_, at) => addOneByOne(at % MAX_DELAY_MS)));
  try {
    await Promise.race([acknowledged.enough, adding]);
    await fixture.during('killServer', async () => {
      isOver = true;
      await adding.catch(() => {});
    });
    await adding;
  } finally {
    isOver = true;
  }
  return [...acknowledged.all];
}
