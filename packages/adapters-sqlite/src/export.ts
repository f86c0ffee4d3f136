import { type NullablePlant, type PlantExport, plantOf } from '@plant-store/domain';
import { plantColumns } from '@plant-store/store-kit';
import { openForReading } from './database.ts';
import { translateError } from './errors.ts';
import { completeOptions, type SqliteOptions } from './options.ts';

/**
 * Reads the plants of a SQLite file row by row on a connection of its own, with bounded memory. It changes neither the file nor its
 * directory. Writers continue, and the write-ahead log grows until the reading ends.
 */
export function sqliteExport(options: SqliteOptions): PlantExport {
  const { path, timeoutMs } = completeOptions(options);
  return {
    async *readAll() {
      try {
        const opened = await openForReading(path, timeoutMs);
        using database = opened.database;
        // One statement reads one snapshot, however long it takes.
        const rows = database.prepare(`SELECT ${plantColumns} FROM plants ORDER BY id`).iterate();
        for (const row of rows as Iterable<NullablePlant & { id: bigint }>) yield { id: row.id, ...plantOf(row) };
        opened.assertUnchanged();
      } catch (error) {
        throw translateError(error, path);
      }
    },
  };
}
