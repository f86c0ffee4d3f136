import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { MIGRATION_TABLE, type MigrationState } from '@plant-store/sql-store';
import { type OpenOptions, openDatabase } from '../driver/database.ts';
import { untilUnlocked } from '../driver/lock.ts';
import { translateError } from '../errors.ts';

/** What `sqliteMigrationStatus` promises. */
export async function migrationStatus({ path, timeoutMs }: OpenOptions): Promise<readonly MigrationState[]> {
  if (!existsSync(path)) return files.map(({ name }) => ({ name, applied: false }));
  try {
    return await untilUnlocked(performance.now() + timeoutMs, async () => {
      // Not read-only: such a connection cannot remove the log that it needs while it is open.
      using database = new DatabaseSync(path);
      return statesIn(database);
    });
  } catch (error) {
    throw translateError(error, path);
  }
}

/** What `migrateSqlite` promises of a file that lacks something, which it has found out. */
export async function migrate(options: OpenOptions): Promise<readonly MigrationState[]> {
  const { path, database } = await openDatabase(options);
  try {
    await untilUnlocked(performance.now() + options.timeoutMs, async () => database.exec('BEGIN IMMEDIATE'));
    database.exec(
      `CREATE TABLE IF NOT EXISTS ${MIGRATION_TABLE} (name TEXT NOT NULL PRIMARY KEY, timestamp TEXT NOT NULL)`,
    );
    const missing = statesIn(database).filter(({ applied }) => !applied);
    for (const { name, file } of files.filter((each) => missing.some(({ name }) => name === each.name))) {
      const { up } = await import(pathToFileURL(join(FOLDER, file)).href);
      up(database);
      database.prepare(`INSERT INTO ${MIGRATION_TABLE} VALUES (?, ?)`).run(name, new Date().toISOString());
    }
    database.exec('COMMIT');
    return statesIn(database);
  } catch (error) {
    throw translateError(error, path);
  } finally {
    // Closing rolls back what was not committed.
    database.close();
  }
}

function statesIn(database: DatabaseSync): readonly MigrationState[] {
  const table = database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(MIGRATION_TABLE);
  const rows = table ? database.prepare(`SELECT name FROM ${MIGRATION_TABLE}`).all() : [];
  return files.map(({ name }) => ({ name, applied: rows.some((row) => row['name'] === name) }));
}

/** Every file in it is a migration; they apply in the order of their names. A released one never changes. */
const FOLDER = join(import.meta.dirname, '../migrations');

/** As source, or built with declarations beside it. */
const files = readdirSync(FOLDER)
  .filter((file) => /(?<!\.d)\.[jt]s$/.test(file))
  .map((file) => ({ file, name: file.slice(0, -'.ts'.length) }))
  .sort((a, b) => (a.name < b.name ? -1 : 1));
