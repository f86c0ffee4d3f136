export * from './plant.ts';
export * from './plant-export.ts';
export * from './plant-repository.ts';
export * from './plant-store.ts';
export * from './port-error.ts';
export * from './token-verifier.ts';
export * from './use-cases.ts';
