export { engineContract } from './contract.ts';
export type { EndFault, EngineHarness, EnginePlace, StoredItem } from './engine-harness.ts';
