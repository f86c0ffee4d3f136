import { setTimeout as sleep } from 'node:timers/promises';
import type { PlantStore } from '@plant-store/domain';
import { openPlantStore, type PlantEngine } from '@plant-store/store-kit';
import { deserializeError } from './errors.ts';
import { completeOptions, type SqliteOptions } from './options.ts';
import { openWriter, type Writer } from './writer.ts';

/**
 * Opens a store on a SQLite file, which other processes of the host may share. Concurrent adds share a commit. The file may be
 * migrated (`migrateSqlite`) before or after. Until it is, adds and checks throw {@link StoreUnavailable}.
 *
 * A separate process, the writer, accesses the file. If the file system hangs, adds and checks throw {@link StoreUnavailable} in
 * time, `close` resolves, and the store recovers automatically. A writer that exits is reported to `onError` and restarted. Opening
 * resolves within `timeoutMs`, even if the store is not ready.
 *
 * @throws {StoreUnavailable} if the file cannot be opened, with what to do.
 * @throws {StoreMisconfigured} if a retry cannot help, as with a table that would lose, change or reject plants.
 * @throws {RangeError} if an option is out of its range.
 */
export async function openSqlite(options: SqliteOptions): Promise<PlantStore> {
  const completed = completeOptions(options);
  const writer = openWriter(completed);
  try {
    // The recovery of a long log may take longer, and continues.
    await Promise.race([writer.call('checkTable'), sleep(completed.timeoutMs, undefined, { ref: false })]);
  } catch (error) {
    await writer.end();
    throw error;
  }
  return openPlantStore(sqliteEngine(writer), completed);
}

/** The group commit engine of a writer. */
export function sqliteEngine(writer: Writer): PlantEngine {
  return {
    async write(plants, deadline) {
      const written = await writer.call('insert', plants, deadline - performance.now());
      return written.map((each) => ('done' in each ? each : { refused: deserializeError(each) }));
    },
    probe: () => writer.call('probe'),
    close: () => writer.end(),
    // Locks are usually released before the deadlines of adds, and other failures show without delay.
    hasCircuitBreaker: false,
  };
}
