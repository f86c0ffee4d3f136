import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MIGRATION_TABLE, type MigrationState } from '@plant-store/sql-store';
import type { OpenOptions } from '../driver/database.ts';
import { untilUnlocked } from '../driver/lock.ts';
import { translateError } from '../errors.ts';

/** Every file in it is a migration; they apply in the order of their names. A released one never changes. */
export const MIGRATIONS: string = path.join(import.meta.dirname, '../migrations');

/**
 * What `sqliteMigrationStatus` promises. Every start asks: Kysely, which would know as well, takes more CPU to load than all
 * else that a writer does until it writes.
 */
export async function migrationStatus({ path: file, timeoutMs }: OpenOptions): Promise<readonly MigrationState[]> {
  if (!existsSync(file)) return statesOf(new Set());
  try {
    return await untilUnlocked(performance.now() + timeoutMs, async () => {
      // Not read-only: such a connection cannot remove the log that it needs while it is open.
      using database = new DatabaseSync(file);
      return statesOf(appliedTo(database));
    });
  } catch (error) {
    throw translateError(error, file);
  }
}

function statesOf(applied: ReadonlySet<unknown>): readonly MigrationState[] {
  // As source or built, with declarations beside it.
  const names = readdirSync(MIGRATIONS).flatMap((file) => /^(.*)(?<!\.d)\.[jt]s$/.exec(file)?.[1] ?? []);
  return names.toSorted().map((name) => ({ name, applied: applied.has(name) }));
}

/** Read as Kysely does: a test compares the two. */
function appliedTo(database: DatabaseSync): ReadonlySet<unknown> {
  const table = database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(MIGRATION_TABLE);
  if (!table) return new Set();
  const rows = database.prepare(`SELECT name FROM ${MIGRATION_TABLE}`).all();
  return new Set(rows.map(({ name }) => name));
}
