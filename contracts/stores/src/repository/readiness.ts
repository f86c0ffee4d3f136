import { type Clause, eventually, NotChecked, resolved, show } from '@plant-store/contracts-kit';
import type { PlantStore } from '@plant-store/domain';
import { addNew, expectUnavailable } from '../expectations.ts';
import { inOpenStore } from '../prepared-store.ts';
import { plainPlant, plainPlants } from '../samples/plants.ts';
import type { StoreHarness } from '../store-harness.ts';
import { inOutage } from './outage.ts';

/** What check reports: PR-14, PR-17 and PR-22. */
export const readinessClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-14',
    title: 'check resolves while the store can answer',
    check: (harness, tools) =>
      inOpenStore(harness, tools, async (store) => {
        for (let time = 1; time <= CHECKS; time += 1)
          await expectReady(store, `called check() on an open store, time ${time}`);
        await addNew(store, plainPlant(100), `added ${show(plainPlant(100))} after check() was called ${CHECKS} times`);
        const adding = Promise.allSettled(plainPlants(50).map((plant) => store.plants.add(plant)));
        await expectReady(store, 'called check() while 50 adds were in flight');
        await adding;
      }),
  },
  {
    id: 'PR-17',
    title: 'check throws StoreUnavailable within its time-out while the store cannot answer, and resolves once it can',
    appliesTo: ({ capabilities }) => capabilities.external,
    check: (harness, tools) =>
      inOutage(harness, tools, async ({ store, endOutage }) => {
        const action = 'called check() while the store cannot answer';
        await Promise.all(checksAtOnce(store).map((checking) => expectUnavailable(action, () => checking)));
        await endOutage();
        // A store may find out by adds that its connections are lost. Whether those succeed is for PR-13 to check.
        const adding = eventually(tools, 'added a plant after an outage', () => store.plants.add(plainPlant(2)));
        await adding.catch(() => {});
        await eventually(tools, 'called check() after an outage', () => store.check());
      }),
  },
  {
    id: 'PR-22',
    title: 'check throws StoreUnavailable within its time-out while no commit is durable, and resolves once one is',
    appliesTo: ({ capabilities }) => capabilities.survivesServerCrash,
    check: (harness, tools) =>
      inOpenStore(harness, tools, async (store, prepared) => {
        await addNew(store, plainPlant(1));
        const failCommits = prepared.failCommits?.bind(prepared);
        if (!failCommits)
          throw new NotChecked(
            'the server behind this place makes every commit durable: run the contract against a server of its own, with failCommits() in what prepare() resolves with',
          );
        const end = await resolved('called failCommits()', failCommits, 'it resolves once no commit is durable');
        try {
          const unready = (when: string) =>
            expectUnavailable(`called check() ${when} no commit was durable`, () => store.check());
          await unready('once');
          // Adds may find out as well, which must not make the store ready.
          for (const plant of plainPlants(3, 100))
            await Promise.all([store.plants.add(plant).catch(() => {}), unready('beside an add while')]);
        } finally {
          await end();
        }
        await eventually(tools, 'called check() once commits were durable again', () => store.check());
        await eventually(tools, 'added a plant once commits were durable again', () => store.plants.add(plainPlant(2)));
      }),
  },
];

/** Enough to use up any usual pool, if each costs a connection. */
const CHECKS = 30;

/** As many checks concurrently: if they fail, one after the other would take as many times the time-out. */
export function checksAtOnce(store: PlantStore): Promise<void>[] {
  return Array.from({ length: CHECKS }, () => store.check());
}

async function expectReady(store: PlantStore, action: string): Promise<void> {
  await resolved(action, () => store.check(), 'it resolves: the store can answer');
}
