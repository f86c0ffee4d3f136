import type { ErrorKind } from './errors.ts';
import { errorsOf, type Operation } from './operation.ts';
import { createPlant } from './plants.ts';

/** The operations of the API. An operation is declared beside its records, and has a row here. */
export const operations: readonly Operation[] = [createPlant];

/** Every kind of error that a client can get, by number. */
export const errorCatalogue: readonly ErrorKind[] = errorsOf(...operations);
