// The parts that adapters-citus reuses.

export { openDatabase, type Session } from './database.ts';
export { postgresErrors } from './errors.ts';
export { exportSource } from './export.ts';
export { statementsOn } from './statements.ts';
export { type FoundTable, PlantTable } from './table.ts';
