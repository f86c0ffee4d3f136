import { proveContract } from '@plant-store/contracts-kit/vitest';
import { tokenVerifierContract } from '../src/index.ts';
import { verifierUnderTest } from './model/model-verifier.ts';
import { correctVerifiers } from './mutants/correct.ts';
import { brokenVerifiers } from './mutants/index.ts';

proveContract(tokenVerifierContract, {
  correct: correctVerifiers,
  broken: brokenVerifiers,
  subjectOf: ({ Verifier }, tools) => verifierUnderTest(Verifier, tools),
});
