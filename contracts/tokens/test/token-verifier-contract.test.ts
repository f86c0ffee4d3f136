import { describeMutants } from '@plant-store/contracts-kit/vitest';
import { tokenVerifierContract } from '../src/index.ts';
import { verifierHarness } from './model/model-verifier.ts';
import { correctVerifiers, verifierMutants } from './mutants.ts';

describeMutants(tokenVerifierContract, {
  correct: correctVerifiers,
  mutants: verifierMutants,
  harness: verifierHarness,
});
