import { setTimeout as sleep } from 'node:timers/promises';
import type { PlantStore } from '@plant-store/domain';
import { openPlantStore } from '@plant-store/store-kit';
import { deserializeError } from './errors.ts';
import { completeOptions, type SqliteOptions } from './options.ts';
import { openWriter } from './writer.ts';

/**
 * Opens a store that keeps plants in a SQLite file, which other processes of the host may share. Adds that wait at the
 * same time are stored with one commit. The file has to be migrated (`migrateSqlite`), before or after: until it is,
 * adds and checks throw {@link StoreUnavailable}.
 *
 * The file is used by a process of its own, the writer, so a file system that hangs does not stop this one: adds and
 * checks throw {@link StoreUnavailable} in time, `close` ends, and the store recovers automatically. A writer that
 * exits is reported to `onError` and replaced. Opening resolves within `timeoutMs`, if need be with a store that is not ready yet.
 *
 * @throws {StoreUnavailable} when the file cannot be opened, with what to do about it; {@link StoreMisconfigured} when waiting
 * does not help, as when its table would lose or change plants, or refuse every one.
 * @throws {RangeError} when an option is out of its range.
 */
export async function openSqlite(options: SqliteOptions): Promise<PlantStore> {
  const completed = completeOptions(options);
  const writer = openWriter(completed);
  try {
    // What takes longer goes on: a file system that hangs, or the recovery of a long log. Until then the store is not ready.
    await Promise.race([writer.call('checkTable'), sleep(completed.timeoutMs, undefined, { ref: false })]);
  } catch (error) {
    await writer.end();
    throw error;
  }
  return openPlantStore(
    {
      async write(plants, deadline) {
        const written = await writer.call('insert', plants, deadline - performance.now());
        return written.map((each) => ('done' in each ? each : { refused: deserializeError(each) }));
      },
      probe: () => writer.call('probe'),
      close: () => writer.end(),
      // Every other failure shows at once, and a lock is usually released within the deadlines of those that wait.
      hasCircuitBreaker: false,
    },
    completed,
  );
}
