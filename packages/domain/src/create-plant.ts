import { isSamePlant, type Plant, pickPlant, type ValidNewPlant } from './plant.ts';
import type { PlantRepository } from './plant-repository.ts';

/**
 * Creates a plant under the id that the client chose. The same NewPlant gets `created` again, with the same Plant, so a client that
 * got no response sends it again.
 *
 * @throws {StoreUnavailable} if the store cannot respond. The outcome is then unknown.
 * @throws {PlantRefused} if the database refuses this plant.
 */
export type CreatePlant = (newPlant: ValidNewPlant) => Promise<CreateResult>;

/** The plant is stored, by this call or by an earlier one; or its id belongs to a plant with other values, which is unchanged. */
export type CreateResult = { readonly outcome: 'created'; readonly plant: Plant } | { readonly outcome: 'id-taken' };

/** Creates the use case on top of a repository. */
export function makeCreatePlant(plants: Pick<PlantRepository, 'add'>): CreatePlant {
  return async (newPlant) => {
    const result = await plants.add(newPlant);
    const plant = pickPlant(newPlant);
    if (result.outcome === 'exists' && !isSamePlant(result.plant, plant)) return { outcome: 'id-taken' };
    return { outcome: 'created', plant };
  };
}
