import { setTimeout as sleep } from 'node:timers/promises';
import type { PlantStore } from '@plant-store/domain';
import { openPlantStore, type PlantEngine } from '@plant-store/store-kit';
import { deserializeError } from './errors.ts';
import { type CompleteOptions, completeOptions, type SqliteOptions } from './options.ts';
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
    const opening = writer.call('checkTable').then((warning) => warning && completed.onWarning(warning));
    await Promise.race([opening, sleep(completed.timeoutMs, undefined, { ref: false })]);
  } catch (error) {
    await writer.end();
    throw error;
  }
  return openPlantStore(sqliteEngine(writer, watchLog(writer, completed)), completed);
}

/** The group commit engine of a writer. @param wrote called after each write. */
export function sqliteEngine(writer: Writer, wrote: () => void = () => {}): PlantEngine {
  return {
    async write(plants, deadline) {
      const written = await writer.call('insert', plants, Date.now() + deadline - performance.now());
      wrote();
      return written.map((each) => ('done' in each ? each : { refused: deserializeError(each) }));
    },
    probe: () => writer.call('probe'),
    close: () => writer.end(),
    // Locks are usually released before the deadlines of adds, and other failures show without delay.
    hasCircuitBreaker: false,
  };
}

/**
 * Returns a function that looks at the size of the write-ahead log, at most once a second. It warns once if the log stays large,
 * because a reader that does not end keeps it from being used again.
 */
function watchLog(writer: Writer, { path, observer, onWarning }: CompleteOptions): () => void {
  let lookedAt = -Infinity;
  let largeSince = Infinity;
  let isWarned = false;

  function report(bytes: number): void {
    observer.logSize?.(bytes);
    if (bytes < LARGE_LOG_BYTES) [largeSince, isWarned] = [Infinity, false];
    else largeSince = Math.min(largeSince, performance.now());
    if (isWarned || performance.now() - largeSince < LARGE_LOG_MS) return;
    isWarned = true;
    onWarning(
      `${path}-wal has ${Math.round(bytes / 2 ** 20)} MiB: a reader keeps it from being emptied; end it (see fuser)`,
    );
  }

  return () => {
    if (performance.now() - lookedAt < LOOK_EVERY_MS) return;
    lookedAt = performance.now();
    writer.call('logBytes').then(report, () => {});
  };
}

const LOOK_EVERY_MS = 1_000;

/** 64 MiB for 1 min: 16 times the size at which SQLite empties the log, and longer than a usual export takes for that. */
const [LARGE_LOG_BYTES, LARGE_LOG_MS] = [64 * 2 ** 20, 60_000];
