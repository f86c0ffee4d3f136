import { type CreatePlant, createPlant } from './create-plant.ts';
import type { PlantRepository } from './plant-repository.ts';

export * from './create-plant.ts';

/** The use cases of the plant store. */
export interface UseCases {
  readonly createPlant: CreatePlant;
}

/** Creates the use cases on top of a store. */
export function useCases({ plants }: { readonly plants: PlantRepository }): UseCases {
  return { createPlant: createPlant(plants) };
}
