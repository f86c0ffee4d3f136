import { type PlantStore, StoreUnavailable } from '@plant-store/domain';
import { gatherAdds } from '@plant-store/group-commit';
import { addPlants } from './statements.ts';
import { checkCanAdd } from './check-can-add.ts';
import { type DatabaseFile, openDatabaseFile } from './driver/database.ts';
import type { SqliteOptions } from './options.ts';
import { openSession } from './session.ts';

/**
 * Opens a store that keeps plants in a SQLite file, which other processes of the host may share. Adds that wait at the
 * same time are stored with one commit. The file has to be
 * migrated (`migrateSqlite`), before or after: until it is, adds and checks throw {@link StoreUnavailable}.
 *
 * @throws {StoreUnavailable} when the file cannot be opened, with what to do about it.
 * @throws {RangeError} when an option is out of its range.
 */
export async function openSqlite(options: SqliteOptions): Promise<PlantStore> {
  return storeOn(await openDatabaseFile(options));
}

/** The store on an open file, which it closes. */
export function storeOn(file: DatabaseFile): PlantStore {
  const session = openSession(file);
  const gathered = gatherAdds((plants) => session.run((db) => addPlants(db, plants)), {
    timeoutMs: file.timeoutMs,
    maxBatch: file.maxBatch,
    maxBatchText: MAX_BATCH_TEXT,
    maxWaiting: file.maxWaiting,
    maxWaitingText: MAX_WAITING_TEXT,
    maxWaitMs: file.maxWaitMs,
    // The file takes one writer at a time.
    maxWrites: 1,
    observer: file.observer,
    platform: {
      now: () => performance.now(),
      after: (ms, callback) => void setTimeout(callback, ms).unref(),
      defer: (callback) => void setImmediate(callback),
    },
  });
  let closed: Promise<void> | undefined;

  async function close(): Promise<void> {
    await gathered.answered();
    await session.close();
  }

  return {
    plants: { add: (plant) => (closed ? refuse(file.path) : gathered.add(plant)) },
    check: () => (closed ? refuse(file.path) : session.run(checkCanAdd)),
    close: () => (closed ??= close()),
  };
}

/** 4 Mi code units: while a batch is written this process does nothing else, and its JSON has to fit in a string. */
const MAX_BATCH_TEXT = 4 * 1024 * 1024;

/** 64 Mi code units, 128 MB at the most, however large the plants are that wait. */
const MAX_WAITING_TEXT = 64 * 1024 * 1024;

function refuse(path: string): Promise<never> {
  return Promise.reject(new StoreUnavailable(`the store on ${path} is closed`));
}
