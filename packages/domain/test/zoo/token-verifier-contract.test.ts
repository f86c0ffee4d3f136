import { tokenVerifierContract } from '../../src/contract/index.ts';
import { verifierUnderTest } from './model-verifier.ts';
import { proveContract } from './prove-contract.ts';
import { correctVerifiers } from './verifiers/correct.ts';
import { brokenVerifiers } from './verifiers.ts';

proveContract(tokenVerifierContract, {
  correct: correctVerifiers,
  broken: brokenVerifiers,
  subjectOf: ({ Verifier }, tools) => verifierUnderTest(Verifier, tools),
});
