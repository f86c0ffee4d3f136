export { type NewEngineOptions, openNewEngine } from './new-engine-store.ts';
export { newEnginePromises } from './promises.ts';
