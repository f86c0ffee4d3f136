export { newEngineCapabilities } from './capabilities.ts';
export { type NewEngineOptions, openNewEngine } from './store.ts';
