import { anyBody, anyRequest, type ErrorKind } from './errors.ts';
import type { Operation } from './operation.ts';
import { createPlant } from './plants.ts';

/** The operations of the API. An operation is declared beside its records, and has a row here. */
export const operations: readonly Operation[] = [createPlant];

/** Every kind of error that a client can get, by number. */
export const errorCatalogue: readonly ErrorKind[] = [
  ...[anyRequest, anyBody].flatMap(Object.values<ErrorKind>),
  ...operations.flatMap(({ errors }) => errors),
].toSorted((one, other) => one.error - other.error);
