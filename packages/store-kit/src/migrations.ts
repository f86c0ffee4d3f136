import { readdirSync } from 'node:fs';
import { extname, join } from 'node:path';

/** The migrations in order, and whether each one was applied. */
export type MigrationStatus = readonly { readonly name: string; readonly applied: boolean }[];

/** Whether all migrations were applied. */
export function isMigrated(migrations: MigrationStatus): boolean {
  return migrations.every(({ applied }) => applied);
}

/** The table of applied migrations. Another application in the same database may use Kysely's default name. */
export const MIGRATION_TABLE = 'plant_store_migration';

/** Reads a folder of migrations. @returns their files by their names, in order. It excludes the declarations beside built files. */
export function migrationFiles(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder).filter((file) => /(?<!\.d)\.[jt]s$/.test(file));
  return new Map(files.sort().map((file) => [file.slice(0, -extname(file).length), join(folder, file)]));
}
