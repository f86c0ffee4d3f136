import { describeMutants } from '@plant-store/contracts-kit/vitest';
import { tokenVerifierContract } from '../src/index.ts';
import { verifierHarness } from './model/model-verifier.ts';
import { correctVerifiers } from './mutants/correct.ts';
import { verifierMutants } from './mutants/index.ts';

describeMutants(tokenVerifierContract, {
  correct: correctVerifiers,
  mutants: verifierMutants,
  harness: verifierHarness,
});
