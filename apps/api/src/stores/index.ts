export { mayRecover, openStore, openWhenReachable, storeAt } from './open-store.ts';
export { adapterFor, limitsOf, loadStorageAdapter, storageAdapters, urlForms } from './storage-adapters.ts';
