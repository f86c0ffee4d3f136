import { type Clause, eventually, show } from '@plant-store/contracts-kit';
import { type NewPlant, type PlantStore, StoreMisconfigured } from '@plant-store/domain';
import { addNew, expectThrows, probeFor } from '../expectations.ts';
import { closeQuietly, inPlace, inStore, type Place } from '../place.ts';
import { plainPlant, plainPlants } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';

const appliesTo = ({ capabilities }: StoreHarness) => capabilities.durable;

/** What a store does with a place that is not fit for plants: PR-23 to PR-25. */
export const misconfigurationClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-23',
    title: 'where plants would be lost or changed, check throws, nothing more is acknowledged, and no store opens',
    appliesTo,
    check: whileUnfit('spoil', async (store, plants, place) => {
      await expectThrows('called spoil() and check()', () => store.check());
      await expectNoneAdded(store, plants, 'called spoil() and check()');
      await expectMisconfigured('called spoil() and opened another store', () => place.prepared.open(), place);
    }),
  },
  {
    id: 'PR-24',
    title: 'where every plant would be refused, adds and check throw StoreUnavailable, and no plant is blamed',
    appliesTo,
    check: whileUnfit('refuseAll', async (store, plants) => {
      await expectNoneAdded(store, plants, 'called refuseAll()');
      await expectThrows('called refuseAll() and check()', () => store.check());
    }),
  },
  {
    id: 'PR-25',
    title: 'opening with a setting that waiting does not fix throws StoreMisconfigured within the time-out',
    appliesTo,
    check: inPlace((place) =>
      expectMisconfigured('called openMisconfigured()', place.means('openMisconfigured'), place),
    ),
  },
];

/**
 * Makes the place of an open store unfit, fixes it, and expects the store to have recovered and to have stored none of the plants.
 * Twice: stores write one plant by another code path than several, and may look at the place in one of them.
 */
function whileUnfit(
  fault: 'spoil' | 'refuseAll',
  use: (store: PlantStore, plants: readonly NewPlant[], place: Place) => Promise<void>,
): Clause<StoreHarness>['check'] {
  return inStore(async (store, place) => {
    await addNew(store, plainPlant(1));
    for (const plants of [plainPlants(1, 10), plainPlants(5, 20)]) {
      await place.during(fault, () => use(store, plants, place));
      const fixed = `called ${fault}(), and the function that it had resolved with`;
      await eventually(place.tools, `${fixed}, and added a plant`, () => store.plants.add(plainPlant(2)));
      await eventually(place.tools, `${fixed}, and check()`, () => store.check());
      for (const plant of plants.map(probeFor)) await addNew(store, plant);
    }
  });
}

async function expectNoneAdded(store: PlantStore, plants: readonly NewPlant[], action: string): Promise<void> {
  const add = (plant: NewPlant) => expectThrows(`${action}, and added ${show(plant)}`, () => store.plants.add(plant));
  await Promise.all(plants.map(add));
}

async function expectMisconfigured(action: string, open: () => Promise<PlantStore>, place: Place): Promise<void> {
  const opening = open().then(closeQuietly);
  await expectThrows(action, () => place.inTime(action, opening, 'it throws StoreMisconfigured'), StoreMisconfigured);
}
