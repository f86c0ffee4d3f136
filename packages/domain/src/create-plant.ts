import { invalidFields, isSamePlant, type NewPlant, type Plant, plantOf } from './plant.ts';
import type { PlantRepository } from './plant-repository.ts';
import { PortError } from './port-error.ts';

/**
 * Creates a plant under the id that the client chose.
 *
 * Creating is idempotent: the same NewPlant gets `created` every time, with the same Plant. A client that got no response
 * can retry.
 *
 * @throws {InvalidNewPlant} if the plant breaks a rule of `plant.ts`. The driving adapter must validate its input.
 * @throws {StoreUnavailable} if the store cannot respond. The outcome is then unknown.
 * @throws {PlantRefused} if the store rejects this plant permanently.
 */
export type CreatePlant = (newPlant: NewPlant) => Promise<Created | IdTaken>;

/** The plant is stored, by this call or by an earlier one with the same plant. */
export interface Created {
  readonly outcome: 'created';
  readonly plant: Plant;
  /** Whether this call stored it. */
  readonly isNew: boolean;
}

/** The id belongs to a plant with other values, which is unchanged. */
export interface IdTaken {
  readonly outcome: 'id-taken';
  readonly id: bigint;
}

/** The use case was given a plant that breaks a rule of `plant.ts`. Nothing was stored. */
export class InvalidNewPlant extends PortError {
  static override readonly code: string = 'ERR_INVALID_NEW_PLANT';
  override readonly name = 'InvalidNewPlant';
  readonly fields: readonly (keyof NewPlant)[];

  constructor(fields: readonly (keyof NewPlant)[]) {
    super(`not a NewPlant: ${fields.join(', ')} breaks a rule of the domain; validate input before it gets here`);
    this.fields = fields;
  }
}

/** Creates the use case on top of a repository. */
export function createPlant(plants: Pick<PlantRepository, 'add'>): CreatePlant {
  return async (newPlant) => {
    const invalid = invalidFields(newPlant);
    if (invalid.length > 0) throw new InvalidNewPlant(invalid);

    // Copied, because the caller may change its object before the store responds.
    const { id } = newPlant;
    const requested = plantOf(newPlant);
    const result = await plants.add(newPlant);
    if (result.outcome === 'exists' && !isSamePlant(result.plant, requested)) return { outcome: 'id-taken', id };
    return { outcome: 'created', plant: requested, isNew: result.outcome === 'added' };
  };
}
