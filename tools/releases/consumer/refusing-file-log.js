// The adapter from outside, in whose folder this file is copied, but it refuses one plant and cannot store another. It has its own
// copy of domain.
import { PlantRefused, StoreUnavailable } from '@plant-store/domain';
import * as fileLog from './dist/index.js';

const HOGWEED = 'Heracleum mantegazzianum';

export const storageAdapter = {
  ...fileLog.storageAdapter,
  at(url, options) {
    const store = fileLog.storageAdapter.at(url, options);
    return { ...store, open: () => store.open().then(refusing) };
  },
};

export async function storeHarness(url) {
  const harness = await fileLog.storeHarness(url);
  const prepare = async () => {
    const place = await harness.prepare();
    const open = (observer) => place.open(observer).then(refusing);
    return { ...place, open, refusedPlant: async () => ({ id: -7n, name: HOGWEED }) };
  };
  return { ...harness, prepare };
}

function refusing(store) {
  const add = async (plant) => {
    if (plant.name === HOGWEED) throw new PlantRefused('it must not be grown');
    if (plant.name === 'Nettle') throw new StoreUnavailable('there are no gloves');
    return store.plants.add(plant);
  };
  return { ...store, plants: { add } };
}
