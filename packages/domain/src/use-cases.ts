import { type CreatePlant, createPlant } from './create-plant.ts';
import type { PlantRepository } from './plant-repository.ts';

export * from './create-plant.ts';

/** Everything that the plant store does for a client. */
export interface UseCases {
  readonly createPlant: CreatePlant;
}

/** Makes the use cases over a store. */
export function useCases({ plants }: { readonly plants: PlantRepository }): UseCases {
  return { createPlant: createPlant(plants) };
}
