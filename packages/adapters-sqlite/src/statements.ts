import { statSync } from 'node:fs';
import {
  type AddResult,
  type NewPlant,
  type NullablePlant,
  PlantRefused,
  plantOf,
  StoreMisconfigured,
  StoreUnavailable,
  textFields,
} from '@plant-store/domain';
import type { Done } from '@plant-store/group-commit';
import { knownTable, plantColumns, textsOf, unfitTableMessage } from '@plant-store/store-kit';
import { type DatabaseFile, retryWhileLocked } from './database.ts';
import { type SerializedError, serializeError, translateError } from './errors.ts';
import { tableFaults } from './table.ts';

/** The outcome of a plant: its result, or why SQLite rejects it. */
export type WriteOutcome = Done<AddResult> | SerializedError;

/**
 * Makes the statements of a store on an open file. The service calls each by its name. They wait for another process's lock for
 * `timeoutMs`, unless they are given a deadline, and throw SQLite's own errors.
 */
export function statementsOn({ path, database, assertNotReplaced, warning }: DatabaseFile, timeoutMs: number) {
  // Prepared on first use, because that fails until the file is migrated.
  const prepare = () => ({ insert: database.prepare(INSERT), read: database.prepare(READ) });
  let prepared: ReturnType<typeof prepare> | undefined;
  const schema = database.prepare('PRAGMA schema_version');
  const table = knownTable();
  let checkedVersion: unknown;

  /**
   * Checks the table if the schema has changed, as it does if another table takes its place.
   * @throws {StoreMisconfigured} with the reason.
   */
  function checkTable(): void {
    const version = schema.get()?.['schema_version'];
    if (version === checkedVersion) return;
    const faults = tableFaults(database) ?? [];
    if (faults.length > 0) throw new StoreMisconfigured(`${path}: ${unfitTableMessage('plants', faults)}`);
    const page = database.prepare(ROOT_PAGE).get()?.['rootpage'];
    if (page !== undefined) {
      prepared ??= prepare();
      const { read } = prepared;
      if (!table.isKnown) table.remember(firstAndLast());
      const missing = table.expectedIn(String(page)).filter((id) => read.get(id) === undefined);
      table.accept(String(page), missing);
    }
    checkedVersion = version;
  }

  const firstAndLast = () => (database.prepare(ENDS).all() as { id: bigint }[]).map(({ id }) => id);

  /** The table has these plants now. */
  function remember(plants: readonly NewPlant[], outcomes: readonly WriteOutcome[]): void {
    table.remember(plants.filter((_, at) => 'done' in (outcomes[at] as WriteOutcome)).map(({ id }) => id));
  }

  async function commit<T>(ms: number, write: () => T): Promise<T> {
    const result = await retryWhileLocked(ms, write);
    // Checked after the commit, so that an acknowledged plant is in the file that other processes open.
    assertNotReplaced();
    return result;
  }

  /** Locks for writing first, so that no other process takes an id or changes the table after it was read. */
  function transaction<T>(work: () => T): T {
    database.exec('BEGIN IMMEDIATE');
    try {
      checkTable();
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      // After some errors, such as a full disk, SQLite has rolled back already.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }

  /** @param refused the plants that SQLite has rejected, by id, which are not inserted again. */
  function insert(
    plants: readonly NewPlant[],
    refused: Map<bigint, SerializedError> = new Map(),
  ): readonly WriteOutcome[] {
    const { size } = refused;
    try {
      return transaction(() => plants.map((plant) => insertOne(plant, refused)));
    } catch (error) {
      if (refused.size > size) return insert(plants, refused);
      // The commit failed, as for a deferred constraint, and does not say for which plant.
      const failure = refusalFrom(error);
      return plants.length === 1 ? [failure] : plants.flatMap((plant) => insert([plant], refused));
    }
  }

  /**
   * If an id is taken, no extra sync is needed, because with synchronous = FULL a commit becomes visible after its sync.
   * `database.ts` handles the one exception.
   */
  function insertOne(plant: NewPlant, refused: Map<bigint, SerializedError>): WriteOutcome {
    prepared ??= prepare();
    const { insert, read } = prepared;
    const { id } = plant;
    const texts = textsOf(plant);
    try {
      if (!refused.has(id) && insert.run(id, ...texts).changes > 0) return ADDED;
    } catch (error) {
      refused.set(id, refusalFrom(error, ...texts));
      // RAISE(ROLLBACK) has rolled back the whole batch, and RAISE(FAIL) may have left the row.
      if (!database.isTransaction || read.get(id)) throw error;
    }
    const row = read.get(id) as NullablePlant | undefined;
    return row ? { done: { outcome: 'exists', plant: plantOf(row) } } : (refused.get(id) ?? IGNORED);
  }

  /** @throws the error itself unless it concerns a plant. */
  function refusalFrom(error: unknown, ...texts: readonly (string | null)[]): SerializedError {
    const translated = translateError(error, path);
    if (StoreUnavailable.is(translated)) throw error;
    // A trigger's message may quote the plant, and errors are logged.
    return texts.some((text) => text && String(error).includes(text)) ? REFUSED : serializeError(translated);
  }

  return {
    /** The size of the write-ahead log in bytes. */
    logBytes: () => statSync(`${path}-wal`).size,
    /** Resolves with what the operator should know about the file. */
    async checkTable(): Promise<string | undefined> {
      await retryWhileLocked(timeoutMs, checkTable);
      return warning;
    },
    /** @param deadline a time of `Date.now()`, which the processes share. The file may be opened only after the call was sent. */
    async insert(plants: readonly NewPlant[], deadline: number): Promise<readonly WriteOutcome[]> {
      const outcomes = await commit(deadline - Date.now(), () => insert(plants));
      remember(plants, outcomes);
      return outcomes;
    },
    /** Writes, commits and syncs as an insert does, and leaves nothing behind. */
    probe: () => commit(timeoutMs, () => transaction(() => database.exec(PROBE))),
    close: () => database.close(),
  };
}

// OR ABORT overrides conflict clauses of the table, which could delete other plants.
const INSERT = `INSERT OR ABORT INTO plants (${plantColumns}) VALUES (${plantColumns.map(() => '?')}) ON CONFLICT (id) DO NOTHING`;
const READ = `SELECT ${textFields} FROM plants WHERE id = ?`;

/** A table that was renamed keeps its root page. VACUUM may change it. */
const ROOT_PAGE = "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = 'plants'";
const ENDS = 'SELECT id FROM plants WHERE id IN ((SELECT min(id) FROM plants), (SELECT max(id) FROM plants))';

/** Needs as much space as a long record, which takes pages of its own and splits others. */
const PROBE = `
  INSERT INTO plants (${plantColumns}) SELECT ${plantColumns} FROM plants WHERE false;
  CREATE TABLE plant_store_probe (content BLOB);
  INSERT INTO plant_store_probe VALUES (zeroblob(16384));
  DROP TABLE plant_store_probe`;

const ADDED: WriteOutcome = { done: { outcome: 'added' } };
const REFUSED = serializeError(new PlantRefused('a trigger of the table plants rejects the plant'));
const IGNORED = serializeError(new PlantRefused('a trigger of the table plants ignores the plant: check its triggers'));
