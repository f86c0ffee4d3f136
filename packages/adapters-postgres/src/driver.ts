// The parts that adapters-citus reuses.

export { openPool, postgresDatabase } from './database.ts';
export { postgresErrors } from './errors.ts';
