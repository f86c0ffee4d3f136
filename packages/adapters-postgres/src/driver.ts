// The parts that adapters-citus reuses.

export type { FoundTable } from './catalogue.ts';
export { openDatabase, type PostgresDatabase } from './database.ts';
export { postgresErrors } from './errors.ts';
export { exportSource } from './export.ts';
export type { Session } from './session.ts';
export { statementsOn } from './statements.ts';
export { PlantTable } from './table.ts';
