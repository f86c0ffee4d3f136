export { type Failures, type SqlEngine, type SqlStatements, sqlEngine } from './engine.ts';
export { type ExportSource, exportPlants } from './export.ts';
export type { Blocker, SessionRow } from './lock-holder.ts';
export {
  acquireMigrationLock,
  applyMigrations,
  type MigratedServer,
  type MigrationLock,
  type ServerMigrations,
  serverMigrations,
} from './migrations.ts';
export { openSqlStore, type SqlDatabase } from './open-sql-store.ts';
export { DriverSession, OWN, type SessionPool, type SessionSource, sessionPool } from './sessions.ts';
