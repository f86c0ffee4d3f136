import { readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Kysely } from 'kysely';
import type { Database } from './rows.ts';

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

/**
 * Applies the missing migrations and records each of them, as Kysely's Migrator does. If none is missing, it writes nothing. The
 * caller holds a lock. Kysely's Migrator was tried. It rejects a database that a newer program has migrated, hides the first error
 * of a transaction, and its lock names no holder, so it took more lines to correct than this takes.
 *
 * @param db the connection of the caller, on which the table of applied migrations is in the default schema.
 * @param status read after the lock was acquired.
 */
export async function applyMigrations(
  db: Kysely<Database>,
  files: ReadonlyMap<string, string>,
  status: MigrationStatus,
  records: Kysely<Database> = db,
): Promise<void> {
  if (isMigrated(status)) return;
  await records.schema
    .createTable(MIGRATION_TABLE)
    .ifNotExists()
    .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
    .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
    .execute();
  for (const { name } of status.filter(({ applied }) => !applied)) {
    const { up } = await import(pathToFileURL(files.get(name) as string).href);
    await up(db);
    await records.insertInto(MIGRATION_TABLE).values({ name, timestamp: new Date().toISOString() }).execute();
  }
}
