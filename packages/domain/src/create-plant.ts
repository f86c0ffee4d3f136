import { invalidFields, isSamePlant, type NewPlant, type Plant, plantOf } from './plant.ts';
import type { PlantRepository } from './plant-repository.ts';

/**
 * The use case: creates a plant under the id that its creator chose.
 *
 * Creating is idempotent: the same NewPlant again is `created` again, with the same Plant, so a client that got no
 * response may simply retry.
 *
 * @throws {InvalidNewPlant} if the plant breaks a rule of `plant.ts`: the driving adapter has not validated its input.
 * @throws {StoreUnavailable} if the store cannot answer.
 * @throws {PlantRefused} if the store refuses this very plant.
 */
export type CreatePlant = (newPlant: NewPlant) => Promise<Created | IdTaken>;

/** The plant is stored, by this call or by an earlier one with the same plant. */
export interface Created {
  readonly outcome: 'created';
  readonly plant: Plant;
}

/** A plant with other values has the id. It is unchanged. */
export interface IdTaken {
  readonly outcome: 'id-taken';
  readonly id: bigint;
}

/** A plant that breaks a rule of `plant.ts` reached the use case; it was not stored. */
export class InvalidNewPlant extends Error {
  override readonly name = 'InvalidNewPlant';
  readonly fields: readonly (keyof NewPlant)[];

  constructor(fields: readonly (keyof NewPlant)[]) {
    super(`not a NewPlant: ${fields.join(', ')} breaks a rule of the domain; validate input before it gets here`);
    this.fields = fields;
  }
}

/** Makes the use case over a repository. */
export function createPlant(plants: Pick<PlantRepository, 'add'>): CreatePlant {
  return async (newPlant) => {
    const invalid = invalidFields(newPlant);
    if (invalid.length > 0) throw new InvalidNewPlant(invalid);

    // A caller may change its object while the store works: verdict and response are of what was asked for.
    const { id } = newPlant;
    const wanted = plantOf(newPlant);
    const result = await plants.add(newPlant);
    if (result.outcome === 'added' || isSamePlant(result.plant, wanted)) return { outcome: 'created', plant: wanted };
    return { outcome: 'id-taken', id };
  };
}
