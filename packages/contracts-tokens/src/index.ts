export { tokenVerifierContract } from './token-verifier-contract.ts';
export type { PreparedVerifier, VerifierUnderTest } from './verifier-harness.ts';
