export { loadStorageAdapter } from './load-storage-adapter.ts';
export { openStore, storeAt } from './open-store.ts';
export { mayRecover, openWhenReachable } from './open-when-reachable.ts';
export { adapterFor, limitsOf, storageAdapters, urlForms } from './storage-adapters.ts';
