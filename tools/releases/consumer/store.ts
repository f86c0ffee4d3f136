import { type Contract, runContract } from '@plant-store/contracts-kit';
import { plantRepositoryContract, type StoreHarness } from '@plant-store/contracts-stores';
import {
  type AddResult,
  type CreatePlant,
  createPlant,
  type NewPlant,
  type PlantStore,
  type StoreCapabilities,
} from '@plant-store/domain';
import { openPlantStore, type PlantEngine, unobserved } from '@plant-store/store-kit';

declare const store: PlantStore;
declare const capabilities: StoreCapabilities;

export const create: CreatePlant = createPlant(store.plants);
export const contract: Contract<StoreHarness> = plantRepositoryContract;
export const fromEngine: (engine: PlantEngine) => PlantStore = (engine) =>
  openPlantStore(engine, { observer: unobserved });

const subject: StoreHarness = {
  capabilities,
  prepare: async () => ({ open: async () => store, dispose: async () => {} }),
};

export async function use(plant: NewPlant): Promise<number> {
  const result: AddResult = await store.plants.add(plant);
  // @ts-expect-error There is a plant only where one exists.
  result.plant;
  // @ts-expect-error An id is a bigint, never a number that could be rounded.
  await store.plants.add({ id: 1, name: 'Fern' });
  const { passed } = await runContract(contract, subject, { sleep: async () => {}, nextTurn: async () => {} });
  return passed;
}
