import { tokenVerifierContract } from '../../src/contract/index.ts';
import { ModelVerifier, verifierUnderTest } from './model-verifier.ts';
import { proveContract } from './prove-contract.ts';
import { brokenVerifiers } from './verifiers.ts';

proveContract(tokenVerifierContract, {
  members: brokenVerifiers,
  subjectOf: (member, tools) => verifierUnderTest(member?.Verifier ?? ModelVerifier, tools),
});
