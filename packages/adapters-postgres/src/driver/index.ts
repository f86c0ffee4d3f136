// For an adapter that stands on this one: adapters-citus.

export { isTransient, storeUnavailable, translateError } from '../errors.ts';
export { exportSource } from '../export.ts';
export { insertBatchBy } from '../insert-batch.ts';
export { openOn } from '../open-on.ts';
export { type CompleteOptions, completeOptions } from '../options.ts';
export { lockTimeoutMs, statementsOf } from '../statements.ts';
export { type Database, openDatabase, openKysely } from './database.ts';
export { type Row, runStatements, type Statement } from './run-statements.ts';
