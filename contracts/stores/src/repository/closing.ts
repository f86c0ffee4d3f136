import { type Clause, ContractViolation, resolved, show } from '@plant-store/contracts-kit';
import type { PlantStore } from '@plant-store/domain';
import { expectUnavailable } from '../expectations.ts';
import { inOpenStore } from '../prepared-store.ts';
import { plainPlant, plainPlants } from '../samples/plants.ts';
import type { StoreHarness } from '../store-harness.ts';

/** How a store closes: PR-15. */
export const closingClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-15',
    title: 'close lets adds in flight finish, may be called again, and later calls throw StoreUnavailable',
    check: (harness, tools) =>
      inOpenStore(harness, tools, async (store) => {
        let pending = 50;
        const inFlight = plainPlants(pending).map(async (plant) => {
          const action = `added ${show(plant)} and called close() before it returned`;
          await resolved(action, () => store.plants.add(plant), 'it resolves: close lets it finish');
          pending -= 1;
        });
        const action = 'called close() while 50 adds were in flight';
        const closing = expectCloses(store, action).then(async () => {
          // The last add and close may settle at the same moment, in either order.
          await tools.sleep(0);
          const actual = `it resolved while ${pending} of them were pending`;
          if (pending > 0) throw new ContractViolation(action, actual, 'it lets them finish first');
        });
        const closingAgain = expectCloses(store, 'called close() a second time, before the first had resolved');
        const late = expectClosed(store, 'after close() was called and before it had resolved');
        const steps = [closing, ...inFlight, closingAgain, late];
        // All settle first, so that the failure reported is the first of the list, not the fastest.
        await Promise.allSettled(steps);
        await Promise.all(steps);
        await expectCloses(store, 'called close() on a closed store');
        await expectClosed(store, 'on a closed store');
      }),
  },
];

async function expectCloses(store: PlantStore, action: string): Promise<void> {
  await resolved(action, () => store.close(), 'it resolves');
}

async function expectClosed(store: PlantStore, when: string): Promise<void> {
  await Promise.all([
    expectUnavailable(`called add() ${when}`, () => store.plants.add(plainPlant(1_000))),
    expectUnavailable(`called check() ${when}`, () => store.check()),
  ]);
}
