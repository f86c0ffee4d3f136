import { type Clause, ContractViolation, resolved, show } from '@plant-store/contracts-kit';
import type { PlantStore } from '@plant-store/domain';
import { expectUnavailable } from './expectations.ts';
import { inOpenStore } from './prepared-store.ts';
import { plainPlant, plainPlants } from './sample-plants.ts';
import type { StoreHarness } from './store-harness.ts';

/** How it ends: PR-15. */
export const closingClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-15',
    title: 'close lets what is in flight finish, may be called again, and later calls throw StoreUnavailable',
    check: (subject, tools) =>
      inOpenStore(subject, tools, async (store) => {
        let unanswered = 50;
        const inFlight = plainPlants(unanswered).map(async (plant) => {
          const did = `added ${show(plant)} and called close() before it was answered`;
          await resolved(did, () => store.plants.add(plant), 'it is answered: close lets it finish');
          unanswered -= 1;
        });
        const did = 'called close() while 50 adds were in flight';
        const closing = expectCloses(store, did).then(async () => {
          // The last answer and the end of close may come in the same moment, in either order.
          await tools.sleep(0);
          const came = `it resolved while ${unanswered} of them were not answered`;
          if (unanswered > 0) throw new ContractViolation(did, came, 'it lets them finish first');
        });
        const closingAgain = expectCloses(store, 'called close() a second time, before the first had resolved');
        const late = expectClosed(store, 'after close() was called and before it had resolved');
        const steps = [closing, ...inFlight, closingAgain, late];
        // All of them first: then the failure that is reported is the first one here, not the fastest.
        await Promise.allSettled(steps);
        await Promise.all(steps);
        await expectCloses(store, 'called close() on a closed store');
        await expectClosed(store, 'on a closed store');
      }),
  },
];

async function expectCloses(store: PlantStore, did: string): Promise<void> {
  await resolved(did, () => store.close(), 'it resolves');
}

async function expectClosed(store: PlantStore, when: string): Promise<void> {
  await Promise.all([
    expectUnavailable(`called add() ${when}`, () => store.plants.add(plainPlant(1_000))),
    expectUnavailable(`called check() ${when}`, () => store.check()),
  ]);
}
