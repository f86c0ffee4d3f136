import {
  type AddResult,
  type NewPlant,
  PlantRefused,
  type PlantRow,
  plantOf,
  StoreMisconfigured,
  StoreUnavailable,
} from '@plant-store/domain';
import type { Done } from '@plant-store/group-commit';
import { unfitTableMessage } from '@plant-store/store-kit';
import { type DatabaseFile, retryWhileLocked } from './database.ts';
import { type Failure, serializeError, translateError } from './errors.ts';
import { tableFaults } from './table.ts';

/** The outcome of one plant of a batch, as the writer tells it: its result, or why SQLite refuses it. */
export type WriteOutcome = Done<AddResult> | Failure;

/**
 * What a store does with an open file. Deadlines, by `performance.now()`, are those of waiting for another process's lock.
 * Errors are SQLite's own.
 */
export function statementsOn({ path, database, assertNotReplaced }: DatabaseFile) {
  // Prepared when they are first used: until the file is migrated that fails.
  const prepare = () => ({ insert: database.prepare(INSERT), read: database.prepare(READ) });
  let prepared: ReturnType<typeof prepare> | undefined;
  const schema = database.prepare('PRAGMA schema_version');
  let fitVersion: unknown;

  /** Takes a microsecond unless somebody has changed the schema, as each probe does. @throws {StoreMisconfigured} with why. */
  function checkTable(): void {
    const version = schema.get()?.['schema_version'];
    if (version === fitVersion) return;
    const faults = tableFaults(database) ?? [];
    if (faults.length > 0) throw new StoreMisconfigured(`${path}: ${unfitTableMessage('plants', faults)}`);
    fitVersion = version;
  }

  async function commit<T>(deadline: number, write: () => T): Promise<T> {
    const result = await retryWhileLocked(deadline, write);
    // After the commit, not before: the response has to mean that the plant is in the file that others will open.
    assertNotReplaced();
    return result;
  }

  /** Takes the write lock at once: nobody takes an id between the reading and the writing of it, or changes the table. */
  function transaction<T>(work: () => T): T {
    database.exec('BEGIN IMMEDIATE');
    try {
      checkTable();
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      // After some errors, such as a full disk, SQLite has rolled back by itself.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }

  /** @param refused what SQLite has refused before, by the id: it is not inserted again. */
  function insert(plants: readonly NewPlant[], refused: Map<bigint, Failure> = new Map()): readonly WriteOutcome[] {
    const { size } = refused;
    try {
      return transaction(() => plants.map((plant) => insertOne(plant, refused)));
    } catch (error) {
      if (refused.size > size) return insert(plants, refused);
      // By the commit, which does not say for which plant, as a constraint may be deferred.
      const failure = refusalBy(error);
      return plants.length === 1 ? [failure] : plants.flatMap((plant) => insert([plant], refused));
    }
  }

  /**
   * What has a taken id can be answered without another sync: what can be read here is synced. A commit becomes visible
   * after its sync (synchronous = FULL); `database.ts` handles the one exception.
   */
  function insertOne({ id, name, tag }: NewPlant, refused: Map<bigint, Failure>): WriteOutcome {
    prepared ??= prepare();
    const { insert, read } = prepared;
    try {
      if (!refused.has(id) && insert.run(id, name, tag ?? null).changes > 0) return ADDED;
    } catch (error) {
      refused.set(id, refusalBy(error, name, tag));
      // RAISE(ROLLBACK) has undone the others, and RAISE(FAIL) may have left the row.
      if (!database.isTransaction || read.get(id)) throw error;
    }
    const row = read.get(id) as PlantRow | undefined;
    return row ? { done: { outcome: 'exists', plant: plantOf(row) } } : (refused.get(id) ?? IGNORED);
  }

  /** @throws the error unless it is about a plant. */
  function refusalBy(error: unknown, ...texts: readonly (string | undefined)[]): Failure {
    const translated = translateError(error, path);
    if (translated instanceof StoreUnavailable) throw error;
    // A trigger can make the message of the plant, and errors are logged.
    return texts.some((text) => text && String(error).includes(text)) ? REFUSED : serializeError(translated);
  }

  return {
    checkTable: (deadline: number) => retryWhileLocked(deadline, checkTable),
    insert: (plants: readonly NewPlant[], deadline: number) => commit(deadline, () => insert(plants)),
    /** Writes as an insert does, commits and syncs it, and leaves nothing behind. */
    probe: (deadline: number) => commit(deadline, () => transaction(() => database.exec(PROBE))),
    close: () => database.close(),
  };
}

// OR ABORT: a conflict clause of the table could delete other plants.
const INSERT = 'INSERT OR ABORT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING';
const READ = 'SELECT name, tag FROM plants WHERE id = ?';

/** Uses as much space as a record of some length can need: pages of its own, and others that are split. */
const PROBE = `
  INSERT INTO plants (id, name, tag) SELECT id, name, tag FROM plants WHERE false;
  CREATE TABLE plant_store_probe (content BLOB);
  INSERT INTO plant_store_probe VALUES (zeroblob(16384));
  DROP TABLE plant_store_probe`;

const ADDED: WriteOutcome = { done: { outcome: 'added' } };
const REFUSED = serializeError(new PlantRefused('a trigger of the table plants refuses the plant'));
const IGNORED = serializeError(new PlantRefused('the file ignores the plant: see the triggers of the table plants'));
