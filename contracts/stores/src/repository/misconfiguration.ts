import { type Clause, show, unlessUnavailable, within } from '@plant-store/contracts-kit';
import { type NewPlant, type PlantStore, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { addNew, expectThrows, probeFor } from '../expectations.ts';
import { closeQuietly, type Fixture, SLACK_MS, withFixture, withStore } from '../fixture.ts';
import { plainPlant, plainPlants } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';
import { expectRecovered } from './outages.ts';

const appliesTo = ({ capabilities }: StoreHarness) => capabilities.durable;

/** Databases that are unsuitable for plants, and settings that cannot work: PR-23 to PR-25. */
export const misconfigurationClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-23',
    title: 'if plants would be lost or changed, adds and check throw StoreUnavailable, and no store opens',
    appliesTo,
    check: withUnsuitable('makeUnsafe', async (store, plants, fixture) => {
      await expectThrows('called makeUnsafe() and check()', () => store.check());
      await expectNoneAdded(store, plants, 'called makeUnsafe() and check()');
      await expectMisconfigured('called makeUnsafe() and opened another store', () => fixture.prepared.open(), fixture);
    }),
  },
  {
    id: 'PR-24',
    title: 'if every plant would be refused, adds and check throw StoreUnavailable instead of PlantRefused',
    appliesTo,
    check: withUnsuitable('refuseAll', async (store, plants) => {
      await expectNoneAdded(store, plants, 'called refuseAll()');
      await expectThrows('called refuseAll() and check()', () => store.check());
    }),
  },
  {
    id: 'PR-25',
    title: 'opening with a setting that waiting does not fix throws StoreMisconfigured within the time-out',
    appliesTo,
    check: withFixture((fixture) =>
      expectMisconfigured('called openMisconfigured()', fixture.require('openMisconfigured'), fixture),
    ),
  },
];

/**
 * Makes the database of an open store unsuitable, fixes it, and expects that the store recovers and has stored none of the plants.
 * Runs for one plant and for several, because stores write several by another code path, and may check the database in one only.
 */
function withUnsuitable(
  fault: 'makeUnsafe' | 'refuseAll',
  use: (store: PlantStore, plants: readonly NewPlant[], fixture: Fixture) => Promise<void>,
): Clause<StoreHarness>['check'] {
  return withStore(async (store, fixture) => {
    await addNew(store, plainPlant(1));
    for (const plants of [plainPlants(1, 10), plainPlants(5, 20)]) {
      await duringAdds(fault, store, plants, fixture, () => use(store, plants, fixture));
      await expectRecovered(store, fixture, `called ${fault}(), and the function that it had resolved with`);
      for (const plant of plants.map(probeFor)) await addNew(store, plant);
    }
  });
}

/** Makes the database unsuitable. If the store has to notice that by itself, that happens beside adds, which must begin to throw. */
async function duringAdds(
  fault: 'makeUnsafe' | 'refuseAll',
  store: PlantStore,
  plants: readonly NewPlant[],
  fixture: Fixture,
  use: () => Promise<void>,
): Promise<void> {
  const { unsafeAddsForMs } = fixture.capabilities;
  if (fault === 'refuseAll' || unsafeAddsForMs === undefined) return fixture.during(fault, use);
  const adding = new SteadyAdds(store, fixture, 1_000 * plants.length);
  const notice = async () => {
    await adding.untilRejected(unsafeAddsForMs);
    await expectNoneAdded(store, plants, 'called makeUnsafe() beside adds until they threw');
    await use();
  };
  await fixture.during(fault, notice).finally(() => adding.stop());
}

/** Adds plants as four clients, one after the other each. */
class SteadyAdds {
  readonly #store: PlantStore;
  readonly #fixture: Fixture;
  readonly #clients: Promise<unknown>;
  #next: number;
  #isEnding = false;
  #isStopped = false;

  /** @param first the number of the first plant. */
  constructor(store: PlantStore, fixture: Fixture, first: number) {
    this.#store = store;
    this.#fixture = fixture;
    this.#next = first;
    this.#clients = Promise.all(Array.from({ length: 4 }, () => this.#addAll()));
    // A failure matters only if the adds are awaited.
    this.#clients.catch(() => {});
  }

  /** Expects that an add of each client throws StoreUnavailable, which then ends. */
  async untilRejected(withinMs: number): Promise<void> {
    this.#isEnding = true;
    const action = 'called makeUnsafe() beside adds, without a call of check()';
    const expected = `adds throw StoreUnavailable within ${withinMs} ms`;
    await within(withinMs + SLACK_MS, this.#fixture.tools, action, this.#clients, expected);
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #addAll(): Promise<void> {
    while (!this.#isStopped) {
      const mustThrow = this.#isEnding;
      const plant = plainPlant(this.#next++);
      const action = () => `called makeUnsafe() beside adds, and added ${show(plant)}`;
      const result = await unlessUnavailable(action, () => this.#store.plants.add(plant), StoreUnavailable);
      if (mustThrow && !result) return;
      await this.#fixture.tools.sleep(5);
    }
  }
}

async function expectNoneAdded(store: PlantStore, plants: readonly NewPlant[], action: string): Promise<void> {
  const add = (plant: NewPlant) => expectThrows(`${action}, and added ${show(plant)}`, () => store.plants.add(plant));
  await Promise.all(plants.map(add));
}

async function expectMisconfigured(action: string, open: () => Promise<PlantStore>, fixture: Fixture): Promise<void> {
  const opening = open().then(closeQuietly);
  await expectThrows(action, () => fixture.inTime(action, opening, 'it throws StoreMisconfigured'), StoreMisconfigured);
}
