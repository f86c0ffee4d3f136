import { type PlantStore, StoreUnavailable } from '@plant-store/domain';
import { addPlant } from './add-plant.ts';
import { answerWithin } from './answer-within.ts';
import { checkCanAdd } from './check-can-add.ts';
import { openDatabase } from './database.ts';
import { asStoreUnavailable } from './failures.ts';
import { completeOptions, type PostgresOptions } from './options.ts';

/**
 * Opens a store that keeps plants in a PostgreSQL database, 15 or newer, which any number of processes may share. It
 * connects when it is used. The database has to be migrated (`migratePostgres`), before or after: until it is, adds
 * and checks throw {@link StoreUnavailable}.
 *
 * @throws {RangeError} when an option is out of its range.
 * @throws {Error} when the connection string cannot be used, with what is wrong with it.
 */
export async function openPostgres(options: PostgresOptions): Promise<PlantStore> {
  const completed = completeOptions(options);
  const db = openDatabase(completed);
  const add = addPlant(db);
  const inFlight = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;

  async function answer<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (closed) throw new StoreUnavailable('the PostgreSQL store is closed');
    const answered = answerWithin(completed.answerWithinMs, work);
    inFlight.add(answered);
    try {
      return await answered;
    } catch (error) {
      throw asStoreUnavailable(error);
    } finally {
      inFlight.delete(answered);
    }
  }

  async function close(): Promise<void> {
    await Promise.allSettled(inFlight);
    await db.destroy();
  }

  return {
    plants: { add: (plant) => answer((signal) => add(plant, signal)) },
    check: () => answer(() => checkCanAdd(db)),
    close: () => (closed ??= close()),
  };
}
