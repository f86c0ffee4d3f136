import type { Member } from '@plant-store/contracts-kit';
import type { VerifierClass } from '../model/model-verifier.ts';

/** A broken TokenVerifier. */
export interface VerifierMember extends Member {
  readonly Verifier: VerifierClass;
}
