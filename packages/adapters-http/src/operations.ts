import { createPlant } from './create-plant.ts';
import { anyBody, anyRequest, type ErrorKind } from './errors.ts';
import type { Operation } from './operation.ts';

/** The operations of the API. An operation is a file, and a row here. */
export const operations: readonly Operation[] = [createPlant];

/** Every kind of error that a client can get, by number. */
export const errorCatalogue: readonly ErrorKind[] = [
  ...[anyRequest, anyBody].flatMap(Object.values<ErrorKind>),
  ...operations.flatMap(({ errors }) => errors),
].toSorted((one, other) => one.error - other.error);
