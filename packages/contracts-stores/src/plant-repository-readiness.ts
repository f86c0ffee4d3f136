import { type Clause, eventually, resolved, show } from '@plant-store/contracts-kit';
import type { PlantStore } from '@plant-store/domain';
import { expectUnavailable, put } from './expectations.ts';
import { inOutage } from './outage.ts';
import { inOpenStore } from './prepared-store.ts';
import { plainPlant, plainPlants } from './sample-plants.ts';
import type { StoreHarness } from './store-harness.ts';

/** What check tells: PR-14 and PR-17. */
export const readinessClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-14',
    title: 'check resolves while the store can answer',
    check: (subject, tools) =>
      inOpenStore(subject, tools, async (store) => {
        for (let time = 1; time <= CHECKS; time += 1)
          await expectReady(store, `called check() on an open store, time ${time}`);
        await put(store, plainPlant(100), `added ${show(plainPlant(100))} after check() was called ${CHECKS} times`);
        const adding = Promise.allSettled(plainPlants(50).map((plant) => store.plants.add(plant)));
        await expectReady(store, 'called check() while 50 adds were in flight');
        await adding;
      }),
  },
  {
    id: 'PR-17',
    title: 'check throws StoreUnavailable within its bound while the store cannot answer, and resolves once it can',
    appliesTo: (subject) => subject.capabilities.external,
    check: (subject, tools) =>
      inOutage(subject, tools, async ({ store, endOutage }) => {
        const did = 'called check() while the store cannot answer';
        await Promise.all(checksAtOnce(store).map((checking) => expectUnavailable(did, () => checking)));
        await endOutage();
        // A store may find out by adds that its connections are gone. That those succeed is for PR-13 to say.
        const adding = eventually(tools, 'added a plant after an outage', () => store.plants.add(plainPlant(2)));
        await adding.catch(() => {});
        await eventually(tools, 'called check() after an outage', () => store.check());
      }),
  },
];

/** Enough to use up any usual pool, if each costs a connection. */
const CHECKS = 30;

/** As many checks, side by side: where they fail, one after the other would take as many times the bound. */
export function checksAtOnce(store: PlantStore): Promise<void>[] {
  return Array.from({ length: CHECKS }, () => store.check());
}

async function expectReady(store: PlantStore, did: string): Promise<void> {
  await resolved(did, () => store.check(), 'it resolves: the store can answer');
}
