import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { PlantRefused, type PlantRow, plantOf, textFields } from '@plant-store/domain';
import type { DatabaseFile } from '../driver/database.ts';
import { untilUnlocked } from '../driver/lock.ts';
import { translateError } from '../errors.ts';
import type { PlantColumns, TakenId } from './batch.ts';

/** The statements of a store, on an open file. While one runs, nothing else does in its process. */
export interface Engine {
  /**
   * Inserts the plants whose ids are free, with one commit.
   *
   * @param withinMs how long it may wait for another process's lock.
   * @returns those whose ids were taken.
   * @throws {StoreUnavailable} when the file cannot be written to; {@link PlantRefused} when it refuses one of them.
   */
  insert(batch: PlantColumns, withinMs: number): Promise<readonly TakenId[]>;
  /**
   * Writes as an insert does, commits and syncs it, and leaves nothing behind.
   *
   * @throws {StoreUnavailable} when an insert would.
   */
  probe(withinMs: number): Promise<void>;
  close(): void;
}

/** The statements on an open file, which {@link Engine.close} closes. */
export function engineOn({ path, database, assertInPlace }: DatabaseFile): Engine {
  const statements = statementsOn(database);

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

  return {
    insert: (batch, withinMs) => commit(withinMs, () => insertIfAbsent(statements, batch)),
    probe: (withinMs) =>
      commit(withinMs, () => {
        statements.get(INSERT_NONE).run();
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

/**
 * What has a taken id can be answered without another sync: what can be read here is synced. A commit becomes visible
 * after its sync (synchronous = FULL); `driver/database.ts` handles the one exception.
 */
function insertIfAbsent(statements: Statements, { ids, texts }: PlantColumns): readonly TakenId[] {
  const insert = statements.get(INSERT);
  const taken: TakenId[] = [];
  for (const [at, id] of ids.entries()) {
    const { changes } = insert.run(id, ...texts.map((column) => column[at] ?? null));
    if (Number(changes) > 0) continue;
    const row = statements.get(READ).get(id) as PlantRow | undefined;
    if (!row) throw new PlantRefused('the file ignores the plant: see the triggers of the table plants');
    taken.push({ at, plant: plantOf(row) });
  }
  return taken;
}

const columns = ['id', ...textFields];
const INSERT = `insert into plants (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')}) on conflict (id) do nothing`;
const READ = `select ${textFields.join(', ')} from plants where id = ?`;

/** Fails, as an insert does, where the file is read-only, damaged or not migrated. */
const INSERT_NONE = `insert into plants (${columns.join(', ')}) select ${columns.join(', ')} from plants where false`;

/** As much as a plant of some length can need: pages of its own, and others that are split. */
const USE_SPACE = `
  CREATE TABLE plant_store_probe (content BLOB);
  INSERT INTO plant_store_probe VALUES (zeroblob(16384));
  DROP TABLE plant_store_probe`;

/** Prepared when they are first used: until the file is migrated that fails. */
interface Statements {
  get(sql: string): StatementSync;
}

function statementsOn(database: DatabaseSync): Statements {
  const prepared = new Map<string, StatementSync>();
  return {
    get(sql) {
      const statement = prepared.get(sql) ?? database.prepare(sql);
      prepared.set(sql, statement);
      return statement;
    },
  };
}
