import {
  type AddResult,
  type CreatePlant,
  createPlant,
  type NewPlant,
  type PlantStore,
  type StorePromises,
} from '@plant-store/domain';
import { type Contract, plantRepositoryContract, runContract, type StoreUnderTest } from '@plant-store/domain/contract';
import { gatherAdds } from '@plant-store/domain/gathered-adds';

declare const store: PlantStore;
declare const promises: StorePromises;

export const create: CreatePlant = createPlant(store.plants);
export const contract: Contract<StoreUnderTest> = plantRepositoryContract;
export const gather: typeof gatherAdds = gatherAdds;

const subject: StoreUnderTest = {
  promises,
  prepare: async () => ({ open: async () => store, dispose: async () => {} }),
};

export async function use(plant: NewPlant): Promise<number> {
  const result: AddResult = await store.plants.add(plant);
  // @ts-expect-error There is a plant only where one exists.
  result.plant;
  // @ts-expect-error An id is a bigint, never a number that could be rounded.
  await store.plants.add({ id: 1, name: 'Fern' });
  const { kept } = await runContract(contract, subject, { sleep: async () => {}, nextTurn: async () => {} });
  return kept;
}
