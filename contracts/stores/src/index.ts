export {
  type AdapterHarnessOptions,
  adapterHarness,
  type ScratchDatabase,
  type ServerFaults,
} from './adapter-harness.ts';
export { clausesThatNeed, clausesWithOutages } from './clauses-that-need.ts';
export { plantExportContract } from './export/contract.ts';
export { migrationContract } from './migrations/contract.ts';
export type { MigrationHarness } from './migrations/migration-harness.ts';
export { plantRepositoryContract } from './repository/contract.ts';
export { storeContracts } from './store-contracts.ts';
export type { PreparedStore, StoreHarness } from './store-harness.ts';
