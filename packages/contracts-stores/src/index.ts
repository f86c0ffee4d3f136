export type { ExportHarness, PreparedExport } from './export-harness.ts';
export { plantExportContract } from './plant-export-contract.ts';
export { plantRepositoryContract } from './plant-repository-contract.ts';
export type { PreparedStore, StoreHarness } from './store-harness.ts';
