import type { Mutant } from '@plant-store/contracts-kit';
import type { StoreClass } from '../model/model-harness.ts';

/** A broken PlantRepository, with the store that it comes in. */
export interface StoreMutant extends Mutant {
  readonly Store: StoreClass;
}
