import { existsSync } from 'node:fs';
import { type PlantExport, StoreMisconfigured } from '@plant-store/domain';
import { type AnyResult, plants, type Row, type Table } from '@plant-store/sql-store';
import { openDatabase } from './driver/database.ts';
import { translateError } from './errors.ts';
import { completeOptions, type SqliteOptions } from './options.ts';
import { statementsOf } from './statements.ts';

/**
 * Reads the plants of a SQLite file, on a connection of its own and row by row: memory stays flat. Writers go on
 * meanwhile; what they write stays in the write-ahead log until the reading has ended, so read fast.
 */
export function sqliteExport(options: SqliteOptions): PlantExport {
  return exportTable(plants, options);
}

/** The same for any table. */
export function exportTable<Item, Key extends bigint | string>(
  table: Table<Item, Key, AnyResult>,
  options: SqliteOptions,
): { readAll(): AsyncIterable<Item> } {
  return {
    async *readAll() {
      if (!existsSync(options.path)) throw new StoreMisconfigured(`no such file: ${options.path}`);
      const { path, database } = await openDatabase(completeOptions(options));
      try {
        // One statement reads one snapshot, however long it takes. Integers are read as bigints, so that every int64 is exact.
        const rows = database.prepare(statementsOf(table).readAll).iterate() as Iterable<Row>;
        for (const row of rows) yield table.recordIn(row);
      } catch (error) {
        throw translateError(error, path);
      } finally {
        database.close();
      }
    },
  };
}
