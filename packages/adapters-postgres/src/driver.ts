// The parts that adapters-citus reuses.

export { postgresDatabase } from './database.ts';
export { postgresErrors } from './errors.ts';
export { openPool } from './pool.ts';
