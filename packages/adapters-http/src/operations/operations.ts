import { createPlant } from './create-plant.ts';

/** Every operation of the plant store. */
export const operations = [createPlant] as const;
