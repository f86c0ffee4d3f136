import { setImmediate } from 'node:timers/promises';
import type { PlantStore } from '@plant-store/domain';
import { groupCommitStore } from '@plant-store/group-commit';
import { Kysely } from 'kysely';
import { type DatabaseFile, openDatabase } from './driver/database.ts';
import { nodeSqliteDialect } from './driver/dialect.ts';
import { untilUnlocked } from './driver/lock.ts';
import { toStoreUnavailable } from './errors.ts';
import { insertIfAbsent } from './insert-batch.ts';
import { type CompleteOptions, completeOptions, type SqliteOptions } from './options.ts';
import type { Schema } from './schema.ts';
import { checkCanAdd } from './statements.ts';

/**
 * Opens a store that keeps plants in a SQLite file, which other processes of the host may share. Adds that wait at the
 * same time are stored with one commit. The file has to be migrated (`migrateSqlite`), before or after: until it is,
 * adds and checks throw {@link StoreUnavailable}.
 *
 * @throws {StoreUnavailable} when the file cannot be opened, with what to do about it.
 * @throws {RangeError} when an option is out of its range.
 */
export async function openSqlite(options: SqliteOptions): Promise<PlantStore> {
  const completed = completeOptions(options);
  return storeOn(await openDatabase(completed), completed);
}

/** The store on an open file, which it closes. */
export function storeOn(file: DatabaseFile, options: CompleteOptions): PlantStore {
  const db = new Kysely<Schema>({ dialect: nodeSqliteDialect(file.database) });

  /** Runs an operation, again while another process holds the lock. */
  async function run<T>(deadline: number, operation: () => Promise<T>): Promise<T> {
    // node:sqlite is synchronous: here the rest of the process gets its turn between two operations.
    await setImmediate();
    try {
      const result = await untilUnlocked(deadline, operation);
      // After the operation, not before: the answer has to mean that the plant is in the file that others will open.
      file.assertInPlace();
      return result;
    } catch (error) {
      throw toStoreUnavailable(error, file.path);
    }
  }

  return groupCommitStore(
    {
      insertBatch: (plants, deadline) => run(deadline, () => insertIfAbsent(db, plants)),
      probe: () => run(performance.now() + options.timeoutMs, () => checkCanAdd(db)),
      close: async () => file.database.close(),
      // Every other failure shows at once, and a lock is usually released within the deadlines of those that wait.
      hasCircuitBreaker: false,
    },
    options,
    options.observer,
  );
}
