import type { Member } from '@plant-store/contracts-kit';
import type { StoreClass } from '../model/model-harness.ts';

/** A broken PlantRepository, with the store that it comes in. */
export interface StoreMember extends Member {
  readonly Store: StoreClass;
}
