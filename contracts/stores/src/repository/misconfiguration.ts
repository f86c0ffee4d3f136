import { type Clause, show } from '@plant-store/contracts-kit';
import { type NewPlant, type PlantStore, StoreMisconfigured } from '@plant-store/domain';
import { addNew, expectThrows, probeFor } from '../expectations.ts';
import { closeQuietly, type Fixture, withFixture, withStore } from '../fixture.ts';
import { plainPlant, plainPlants } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';
import { expectRecovered } from './outages.ts';

const appliesTo = ({ capabilities }: StoreHarness) => capabilities.durable;

/** Databases that are unsuitable for plants, and settings that cannot work: PR-23 to PR-25. */
export const misconfigurationClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-23',
    title: 'if plants would be lost or changed, check and adds throw StoreUnavailable, and no store opens',
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
      await fixture.during(fault, () => use(store, plants, fixture));
      await expectRecovered(store, fixture, `called ${fault}(), and the function that it had resolved with`);
      for (const plant of plants.map(probeFor)) await addNew(store, plant);
    }
  });
}

async function expectNoneAdded(store: PlantStore, plants: readonly NewPlant[], action: string): Promise<void> {
  const add = (plant: NewPlant) => expectThrows(`${action}, and added ${show(plant)}`, () => store.plants.add(plant));
  await Promise.all(plants.map(add));
}

async function expectMisconfigured(action: string, open: () => Promise<PlantStore>, fixture: Fixture): Promise<void> {
  const opening = open().then(closeQuietly);
  await expectThrows(action, () => fixture.inTime(action, opening, 'it throws StoreMisconfigured'), StoreMisconfigured);
}
