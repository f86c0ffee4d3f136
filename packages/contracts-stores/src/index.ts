export type { ExportUnderTest, PreparedExport } from './export-harness.ts';
export { plantExportContract } from './plant-export-contract.ts';
export { plantRepositoryContract } from './plant-repository-contract.ts';
export type { PreparedStore, StoreUnderTest } from './store-harness.ts';
