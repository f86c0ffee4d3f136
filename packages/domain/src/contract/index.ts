export {
  BrokenPromise,
  type Clause,
  type ClauseResult,
  type Contract,
  type ContractReport,
  NotChecked,
  runClause,
  runContract,
  show,
  type Tools,
  within,
} from './contract.ts';
export type { ExportUnderTest, PreparedExport } from './export-under-test.ts';
export { plantExportContract } from './plant-export-contract.ts';
export { plantRepositoryContract } from './plant-repository-contract.ts';
export type { PreparedStore, StoreUnderTest } from './store-under-test.ts';
export { tokenVerifierContract } from './token-verifier-contract.ts';
export type { PreparedVerifier, VerifierUnderTest } from './verifier-under-test.ts';
