import { type CreatePlant, makeCreatePlant } from './create-plant.ts';
import type { PlantRepository } from './plant-repository.ts';

export * from './create-plant.ts';

/**
 * The driven ports of the use cases, as a store implements them. A port that joins is optional, because an older storage adapter
 * lacks it.
 */
export interface Ports {
  readonly plants: PlantRepository;
}

/** The use cases of the plant store. One that needs an optional port is optional. */
export interface UseCases {
  readonly createPlant: CreatePlant;
}

/** Creates the use cases on top of a store. It leaves out those whose port the store lacks. */
export function useCases({ plants }: Ports): UseCases {
  return { createPlant: makeCreatePlant(plants) };
}
