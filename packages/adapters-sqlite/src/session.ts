import { setImmediate } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import { Kysely } from 'kysely';
import type { DatabaseFile } from './driver/database.ts';
import { nodeSqliteDialect } from './driver/dialect.ts';
import { asStoreUnavailable } from './errors.ts';
import { untilUnlocked } from './driver/lock.ts';
import type { Schema } from './schema.ts';

/** The use of one open file by one operation at a time, in the order in which they were asked for. */
export interface Session {
  /**
   * Runs the operation when its turn has come, again while another process holds the lock, for as long as the file's
   * `timeoutMs` allows.
   *
   * @throws {StoreUnavailable} when the time is up or the file fails.
   */
  run<T>(operation: (db: Kysely<Schema>) => Promise<T>): Promise<T>;

  /** Lets what was asked for before finish, then closes the file. */
  close(): Promise<void>;
}

/** Starts using the file, which is the session's from here on. */
export function openSession(file: DatabaseFile): Session {
  const db = new Kysely<Schema>({ dialect: nodeSqliteDialect(file.database) });
  let lastTurn: Promise<unknown> = Promise.resolve();

  function inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = lastTurn.then(task);
    lastTurn = turn.catch(() => {});
    return turn;
  }

  async function attempt<T>(operation: (db: Kysely<Schema>) => Promise<T>, deadline: number): Promise<T> {
    // node:sqlite works synchronously: here the rest of the process gets its chance between two operations.
    await setImmediate();
    if (performance.now() > deadline)
      throw new StoreUnavailable(
        `${file.path}: the adds before this one took longer than ${file.timeoutMs} ms; another process keeps the file locked, or plants arrive faster than the disk takes them`,
      );
    const result = await untilUnlocked(deadline, () => operation(db));
    // After the operation, not before: an answer has to mean that the plant is in the file that others will open.
    file.assertInPlace();
    return result;
  }

  return {
    async run(operation) {
      const deadline = performance.now() + file.timeoutMs;
      try {
        return await inTurn(() => attempt(operation, deadline));
      } catch (error) {
        throw asStoreUnavailable(error, file.path);
      }
    },
    close() {
      return inTurn(async () => file.database.close());
    },
  };
}
