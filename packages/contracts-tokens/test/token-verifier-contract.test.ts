import { proveContract } from '@plant-store/contracts-kit/vitest';
import { tokenVerifierContract } from '../src/index.ts';
import { verifierHarness } from './model/model-verifier.ts';
import { correctVerifiers } from './mutants/correct.ts';
import { verifierMutants } from './mutants/index.ts';

proveContract(tokenVerifierContract, {
  correct: correctVerifiers,
  broken: verifierMutants,
  subjectOf: ({ Verifier }, tools) => verifierHarness(Verifier, tools),
});
