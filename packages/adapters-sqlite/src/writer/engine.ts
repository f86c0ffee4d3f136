import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { PlantRefused } from '@plant-store/domain';
import type { Row } from '@plant-store/sql-store';
import type { DatabaseFile } from '../driver/database.ts';
import { untilUnlocked } from '../driver/lock.ts';
import { translateError } from '../errors.ts';
import type { Batch, Statements, Taken } from '../statements.ts';

/** The statements of a store, on an open file. While one runs, nothing else does in its process. */
export type Engine = ReturnType<typeof engineOn>;

/** The statements on an open file, which `close` closes. */
export function engineOn({ path, database, assertInPlace }: DatabaseFile, statements: Statements) {
  const prepared = preparedOn(database);

  /** Runs a transaction, again while another process holds the lock. */
  async function commit<T>(withinMs: number, work: () => T): Promise<T> {
    try {
      const result = await untilUnlocked(performance.now() + withinMs, async () => transaction(database, work));
      // After the commit, not before: the response has to mean that the plant is in the file that others will open.
      assertInPlace();
      return result;
    } catch (error) {
      throw translateError(error, path);
    }
  }

  /**
   * What has a taken key can be answered without another sync: what can be read here is synced. A commit becomes visible
   * after its sync (synchronous = FULL); `driver/database.ts` handles the one exception.
   */
  function insertIfAbsent(batch: Batch): readonly Taken[] {
    const insert = prepared(statements.insert);
    const [keys = []] = batch;
    const taken: Taken[] = [];
    for (const [at, key] of keys.entries()) {
      const { changes } = insert.run(...batch.map((column) => column[at] ?? null));
      if (Number(changes) > 0) continue;
      const row: Row | undefined = prepared(statements.read).get(key);
      if (!row) throw new PlantRefused(statements.ignored);
      taken.push({ at, row });
    }
    return taken;
  }

  return {
    /**
     * Inserts the records whose keys are free, with one commit, and resolves with those whose keys were taken.
     *
     * @param withinMs how long it may wait for another process's lock.
     * @throws {StoreUnavailable} when the file cannot be written to; {@link PlantRefused} when it refuses one of them.
     */
    insert: (batch: Batch, withinMs: number) => commit(withinMs, () => insertIfAbsent(batch)),
    /** Writes as an insert does, commits and syncs it, and leaves nothing behind. @throws {StoreUnavailable} when an insert would. */
    probe: (withinMs: number) =>
      commit(withinMs, () => {
        prepared(statements.insertNone).run();
        database.exec(USE_SPACE);
      }),
    close: () => database.close(),
  };
}

/** SQLite takes the write lock at once: nobody can take an id between the reading and the writing of it. */
function transaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // After some errors, such as a full disk, SQLite has rolled back by itself.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** As much as a record of some length can need: pages of its own, and others that are split. */
const USE_SPACE = `
  CREATE TABLE plant_store_probe (content BLOB);
  INSERT INTO plant_store_probe VALUES (zeroblob(16384));
  DROP TABLE plant_store_probe`;

/** Statements are prepared when they are first used: until the file is migrated that fails. */
function preparedOn(database: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>();
  return (sql) => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
}
