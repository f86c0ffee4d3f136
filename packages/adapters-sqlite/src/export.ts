import { existsSync } from 'node:fs';
import { type NewPlant, type PlantExport, plantOf, StoreMisconfigured } from '@plant-store/domain';
import { Kysely } from 'kysely';
import { openDatabase } from './driver/database.ts';
import { nodeSqliteDialect } from './driver/dialect.ts';
import { toStoreUnavailable } from './errors.ts';
import { completeOptions, type SqliteOptions } from './options.ts';
import type { Schema } from './schema.ts';

/**
 * Reads the plants of a SQLite file, on a connection of its own and row by row: memory stays flat. Writers go on
 * meanwhile; what they write stays in the write-ahead log until the reading has ended, so read fast.
 */
export function sqliteExport(options: SqliteOptions): PlantExport {
  return { readAll: () => readAll(options) };
}

async function* readAll(options: SqliteOptions): AsyncGenerator<NewPlant, void> {
  if (!existsSync(options.path)) throw new StoreMisconfigured(`no such file: ${options.path}`);
  const { path, database } = await openDatabase(completeOptions(options));
  try {
    const db = new Kysely<Schema>({ dialect: nodeSqliteDialect(database) });
    // One statement reads one snapshot, however long it takes.
    const rows = db.selectFrom('plants').selectAll().orderBy('id').stream();
    for await (const row of rows) yield { id: row.id, ...plantOf(row) };
  } catch (error) {
    throw toStoreUnavailable(error, path);
  } finally {
    database.close();
  }
}
