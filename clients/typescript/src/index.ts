export { type ClientOptions, type NewPlant, type Plant, type PlantStoreClient, plantStoreClient } from './client.ts';
export { exactJson } from './exact-json.ts';
export { PlantStoreError } from './plant-store-error.ts';
