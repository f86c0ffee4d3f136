import type { Mutant } from '@plant-store/contracts-kit';
import type { VerifierClass } from '../model/model-verifier.ts';

/** A TokenVerifier with one mistake. */
export type VerifierMutant = Mutant<VerifierClass>;
