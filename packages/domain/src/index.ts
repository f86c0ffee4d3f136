export {
  type Created,
  type CreatePlant,
  createPlant,
  type IdTaken,
  InvalidNewPlant,
} from './create-plant.ts';
export {
  INT64_MAX,
  INT64_MIN,
  invalidFields,
  isInt64,
  isSamePlant,
  isStorableText,
  type NewPlant,
  optionalTextFields,
  type Plant,
  type PlantRow,
  plantOf,
  textFields,
  textLength,
} from './plant.ts';
export type { PlantExport } from './plant-export.ts';
export {
  type AddResult,
  type PlantRepository,
  type PlantStore,
  type StoreCapabilities,
  StoreMisconfigured,
  StoreOverloaded,
  StoreUnavailable,
} from './plant-repository.ts';
export {
  type RefusedToken,
  type TokenVerdict,
  type TokenVerifier,
  type VerifierCapabilities,
  VerifierUnavailable,
} from './token-verifier.ts';
