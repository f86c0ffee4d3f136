export { mayRecover, openStore, openWhenReachable, storeAt } from './open-store.ts';
export { adapterFor, loadStorageAdapter, storageAdapters, urlForms } from './storage-adapters.ts';
