export { newEngineCapabilities } from './capabilities.ts';
export { type NewEngineOptions, openNewEngine } from './new-engine-store.ts';
