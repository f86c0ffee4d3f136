import type { Mutant as AnyMutant } from '@plant-store/contracts-kit';
import type { Mutation } from './mutation.ts';

/** A service that breaks one clause of the HTTP contract, in a way in which people really break it. */
export type Mutant = AnyMutant<Mutation>;
