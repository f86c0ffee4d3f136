import { createPlant } from './create-plant.ts';
import { catalogueOf } from './error-catalogue.ts';

/** Every operation of the plant store. */
export const operations = [createPlant] as const;

/** Every kind of error that a client of the plant store can get. */
export const errorCatalogue: ReturnType<typeof catalogueOf> = catalogueOf(operations);
