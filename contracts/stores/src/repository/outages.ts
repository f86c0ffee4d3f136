import { type Clause, eventually, show, unlessUnavailable } from '@plant-store/contracts-kit';
import { type NewPlant, type Plant, type PlantStore, StoreUnavailable } from '@plant-store/domain';
import { addNew, expectExists, expectStored, expectThrows, probeFor } from '../expectations.ts';
import { closeQuietly, type Fixture, withStore } from '../fixture.ts';
import { plainPlant, plainPlants } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';

const appliesTo = ({ capabilities }: StoreHarness) => capabilities.external;

/** Outages, and the recovery after them: PR-12, PR-13, PR-17, PR-19 and PR-22. */
export const outageClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-12',
    title: 'a store that cannot answer throws StoreUnavailable within its time-out, and never hangs',
    appliesTo,
    check: inOutage(async (store) => {
      const adding = plainPlants(20, 100).map((plant) => {
        const action = `added ${show(plant)} while the store cannot answer`;
        const add = () => expectThrows(action, () => store.plants.add(plant));
        // The second call must not get `exists` for a plant that still waits to be stored.
        return Promise.all([add(), add()]);
      });
      await Promise.all(adding);
    }),
  },
  {
    id: 'PR-13',
    title: 'once the store can answer again, adds succeed without intervention',
    appliesTo,
    check: inOutage(async (store, { tools }, end) => {
      const failed = plainPlants(20, 100);
      // Readiness probes continue in an outage. They must not use up the connections for adds.
      await Promise.allSettled([...failed.map((plant) => store.plants.add(plant)), ...checksAtOnce(store)]);
      await end();
      const action = 'added 20 plants at once after an outage, under ids whose adds failed in it';
      const holders = new Map<NewPlant, Plant>();
      const addRival = async (plant: NewPlant) => {
        const rival = { ...plant, name: `${plant.name}, rival` };
        const result = await store.plants.add(rival);
        // The first plant known to have the id must keep it, even if another add throws and all adds are repeated.
        if (!holders.has(plant)) holders.set(plant, result.outcome === 'added' ? rival : result.plant);
      };
      const found = () => [...holders].map(([{ id }, holder]) => ({ ...holder, id }));
      await eventually(tools, action, async () => {
        const adding = failed.map(addRival);
        await Promise.allSettled(adding);
        await Promise.all(adding);
        for (const plant of found())
          expectExists(await store.plants.add(probeFor(plant)), plant, `${action}, then ${show(probeFor(plant))}`);
      });
      await tools.sleep(LATE_WRITES_MS);
      for (const plant of found())
        await expectStored(store, plant, `${action}; then ${show(plant)} was stored, and ${LATE_WRITES_MS} ms later`);
    }),
  },
  {
    id: 'PR-17',
    title: 'check throws StoreUnavailable within its time-out while the store cannot answer, and resolves once it can',
    appliesTo,
    check: inOutage(async (store, { tools }, end) => {
      const action = 'called check() while the store cannot answer';
      await Promise.all(checksAtOnce(store).map((checking) => expectThrows(action, () => checking)));
      await end();
      // A store may need an add to notice that its connections are lost. PR-13 checks that adds succeed.
      const adding = eventually(tools, 'added a plant after an outage', () => store.plants.add(plainPlant(2)));
      await adding.catch(() => {});
      await eventually(tools, 'called check() after an outage', () => store.check());
    }),
  },
  {
    id: 'PR-19',
    title: 'opening in an outage resolves or throws StoreUnavailable within the time-out, and what it opened recovers',
    appliesTo,
    check: inOutage(async (_, fixture, end) => {
      const action = 'opened a store while it cannot answer';
      const opening = fixture.prepared.open();
      let opened: PlantStore | undefined;
      try {
        const inTime = () => fixture.inTime(action, opening, 'it resolves, or throws StoreUnavailable');
        await unlessUnavailable(action, inTime, StoreUnavailable);
        await end();
        await eventually(fixture.tools, `${action}, ended the outage, and added a plant`, async () => {
          // Opens another store if the first one threw StoreUnavailable.
          opened ??= fixture.limited(await opening.catch(() => fixture.open()));
          await opened.plants.add(plainPlant(3));
        });
      } finally {
        await end();
        await (opened ? closeQuietly(opened) : opening.then(closeQuietly, () => {}));
      }
    }),
  },
  {
    id: 'PR-22',
    title: 'check throws StoreUnavailable within its time-out while no commit is durable, and resolves once one is',
    appliesTo: ({ capabilities }) => capabilities.survivesServerCrash,
    check: withStore(async (store, fixture) => {
      await addNew(store, plainPlant(1));
      const unready = () => expectThrows('called check() while no commit was durable', () => store.check());
      await fixture.during('failCommits', unready);
      await expectRecovered(store, fixture, 'commits were durable again');
    }),
  },
];

/** The check of a clause with an outage that begins while a used store has adds in flight. */
function inOutage(
  use: (store: PlantStore, fixture: Fixture, end: () => Promise<void>) => Promise<void>,
): Clause<StoreHarness>['check'] {
  return withStore(async (store, fixture) => {
    await addNew(store, plainPlant(1));
    await store.check().catch(() => {});
    const inFlight = Promise.allSettled(plainPlants(20, 10).map((plant) => store.plants.add(plant)));
    await fixture.during('startOutage', (end) => use(store, fixture, end));
    await inFlight;
  });
}

/** Expects that adds and check succeed again. */
export async function expectRecovered(store: PlantStore, { tools }: Fixture, since: string): Promise<void> {
  await eventually(tools, `${since}, and added a plant`, () => store.plants.add(plainPlant(2)));
  await eventually(tools, `${since}, and called check()`, () => store.check());
}

/** Calls check as often as uses up a usual pool of connections. Sequential calls would each take the time-out. */
function checksAtOnce(store: PlantStore): Promise<void>[] {
  return Array.from({ length: 30 }, () => store.check());
}

/** How long to wait for the late writes of a store that queues failed adds in an outage. */
const LATE_WRITES_MS = 1_000;
