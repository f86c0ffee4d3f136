export { type Database, firstAndLast, type PlantRow, plantIn, rowOf } from './database.ts';
export type { SessionRow } from './describe-session.ts';
export { DriverSession } from './driver-session.ts';
export { type Failures, type SqlEngine, type SqlStatements, sqlEngine } from './engine.ts';
export { type ExportSource, exportPlants } from './export.ts';
export { acquireMigrationLock, type MigrationLock, withoutMigrationLock } from './migration-lock.ts';
export { type MigratedServer, type ServerMigrations, serverMigrations } from './migrations.ts';
export { openSqlStore, type SqlDatabase } from './open-sql-store.ts';
export { type SessionPool, type SessionSource, sessionPool } from './session-pool.ts';
