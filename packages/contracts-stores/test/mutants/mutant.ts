import type { Mutant } from '@plant-store/contracts-kit';
import type { StoreClass } from '../model/model-harness.ts';

/** A PlantRepository with one mistake, as a store. */
export type StoreMutant = Mutant<StoreClass>;
