import { type AddResult, type NewPlant, PlantRefused, plantOf, StoreUnavailable } from '@plant-store/domain';
import type { Done, Outcome } from '@plant-store/group-commit';
import { type IsolationLevel, type Kysely, sql } from 'kysely';
import type { StoreErrors } from '../errors.ts';
import { knownTable } from '../known-table.ts';
import type { CompleteServerOptions } from '../options.ts';
import { type PlantEngine, StoreUnsafe, withTimeout } from '../plant-store.ts';
import { type Database, type PlantRow, rowOf } from './database.ts';
import { type Blocker, type LockHolder, lockHolder } from './lock-holder.ts';

/** The statements that the adapter of a database server implements. They throw the driver's own errors. */
export interface SqlStatements {
  /**
   * Inserts and commits the rows whose ids are free. Resolves with their ids, or with `all`. If it fails, it inserts no row. It
   * may wait briefly for locked rows.
   */
  insert(rows: readonly PlantRow[]): Promise<ReadonlySet<bigint> | 'all'>;
  /**
   * Inserts rows with one commit, so that a row that fails does not affect the others. It does not wait for locked rows. If it
   * resolves with undefined, or is missing, the engine bisects the batch between savepoints.
   */
  insertIndividually?(rows: readonly PlantRow[]): Promise<Failures | undefined>;
  /** Does the same as `insert` within a transaction, and does not wait for locked rows. */
  insertWithoutWaiting(transaction: Kysely<Database>, rows: readonly PlantRow[]): Promise<ReadonlySet<bigint>>;
  /** Finds the rows with the ids, once they are durable. Skips locked rows. */
  findUnlocked(ids: readonly bigint[]): Promise<readonly PlantRow[]>;
  /** Finds which ids are taken, without waiting for locks. The rows may not be durable, so it must not decide an outcome. */
  stored(ids: readonly bigint[]): Promise<ReadonlySet<bigint>>;
  /** Fails if an insert would fail for lack of a server, a table, a privilege, space or a durable commit. `checkTable` follows. */
  probe(): Promise<void>;
  /**
   * Checks the shape of the table, and settings of the server by which it could lose plants.
   *
   * @returns the identity of the table, which changes if another one takes its place.
   * @throws {StoreUnsafe} with the reason if it cannot store every plant, or could lose one.
   */
  checkTable(): Promise<string>;
  /** Finds the smallest and the largest id. Empty if there are no plants. */
  firstAndLast(): Promise<readonly bigint[]>;
  /**
   * Finds the session that has held locks on the table longest. It names none of plant-store, which hold locks while they wait for
   * something else. It may fail, and undefined means unknown.
   */
  lockHolder?(): Promise<Blocker | undefined>;
  /** Whether an insert failed because a row is locked or its id is taken. */
  isConflict(error: unknown): boolean;
  /**
   * Finds the ids that are, or may be, taken although their rows failed with an error that would refuse the plant. None by default.
   */
  takenAmong?(failures: Failures): Promise<ReadonlySet<bigint>>;
  /** The isolation level for bisecting a batch. The session's by default. */
  readonly isolation?: IsolationLevel;
  readonly errors: StoreErrors;
  /** Closes the connections. Statements in flight fail. */
  close(): Promise<void>;
}

/** Why rows were not inserted, by their ids: an error, a taken id, or a trigger that ignored the row. */
export type Failures = ReadonlyMap<bigint, Error | 'taken' | 'ignored'>;

/** The group commit engine of a database server. While it writes, it checks the table every {@link CHECK_EVERY_MS}. */
export interface SqlEngine extends PlantEngine, Pick<LockHolder, 'lockedBy' | 'waitsFor'> {
  /** Checks the table. @throws {StoreUnsafe} with the reason if it cannot store every plant, or replaced one that had more. */
  checkTable(): Promise<void>;
}

/** Makes the group commit engine from an adapter's statements. Its errors are the port's. */
export function sqlEngine(
  db: Kysely<Database>,
  statements: SqlStatements,
  { timeoutMs }: Pick<CompleteServerOptions, 'timeoutMs'>,
): SqlEngine {
  const {
    insert,
    insertWithoutWaiting,
    findUnlocked,
    stored,
    probe,
    firstAndLast,
    isConflict,
    isolation,
    errors,
    close,
  } = statements;
  const table = knownTable();
  let checkedAt = -Infinity;
  const holder = lockHolder(statements.lockHolder, timeoutMs);

  async function translated<T>(work: Promise<T>): Promise<T> {
    try {
      return await holder.watch(work);
    } catch (error) {
      const reason = (await checkTableAfter([error]).catch((fault: unknown) => fault)) ?? error;
      throw (await lockedTableError(reason)) ?? errors.translate(reason);
    }
  }

  /** Locked rows fail no statement but an insert, so the table is locked. */
  async function lockedTableError(reason: unknown): Promise<Error | undefined> {
    if (!isConflict(reason)) return undefined;
    await holder.refresh();
    const lockedBy = holder.lockedBy();
    if (lockedBy === undefined) return undefined;
    return new StoreUnavailable(`${lockedBy} has locked the table plants, or the whole server: end it`);
  }

  async function checkTable(): Promise<void> {
    const identity = await statements.checkTable();
    if (!table.isKnown) table.remember(await firstAndLast());
    const expected = table.expectedIn(identity);
    const found = expected.length > 0 ? await stored(expected) : new Set();
    table.accept(
      identity,
      expected.filter((id) => !found.has(id)),
    );
  }

  /**
   * Checks the table after a write and before it is acknowledged, unless that was done a moment ago. An outage does not fail the
   * write, because its plants are committed.
   */
  async function checkWhileWriting(
    plants: readonly NewPlant[],
    outcomes: readonly Outcome<AddResult>[],
  ): Promise<void> {
    const now = performance.now();
    if (now - checkedAt < CHECK_EVERY_MS) return;
    // Until it ends, because checks that hang would occupy all connections.
    checkedAt = Infinity;
    const checking = checkTable().finally(() => {
      checkedAt = now;
    });
    try {
      await withTimeout(checking, timeoutMs / 4);
      table.remember(idsOf(plants.filter((_, at) => outcomes[at] === ADDED)));
    } catch (error) {
      if (StoreUnsafe.is(error)) throw error;
    }
  }

  /** Reports a table of the wrong shape rather than the errors that it causes, which would blame plants or the server. */
  async function checkTableAfter(failures: readonly unknown[]): Promise<void> {
    if (failures.some(errors.mayBeCausedByTable)) await checkTable();
  }

  const refused = (error: unknown): Outcome<AddResult> => ({ refused: errors.translate(error) as Error });

  async function write(plants: readonly NewPlant[]): Promise<readonly Outcome<AddResult>[]> {
    const outcomes = await insertAll(plants);
    await checkWhileWriting(plants, outcomes);
    return outcomes;
  }

  async function insertAll(plants: readonly NewPlant[]): Promise<readonly Outcome<AddResult>[]> {
    try {
      const added = await insert(sortedRows(plants));
      if (added === 'all') return Array(plants.length).fill(ADDED);
      return plants.map(({ id }) => (added.has(id) ? ADDED : 'conflict'));
    } catch (error) {
      const isRefused = errors.isRefused(error);
      if (!isRefused && !isConflict(error)) throw error;
      await checkTableAfter([error]);
      if (isRefused && plants.length === 1)
        return outcomesOf(plants, new Map([[idsOf(plants)[0] as bigint, error as Error]]));
      // Another session may have deleted a row that looked ignored, so it is tried again.
      return (await writeIndividually(plants)).map((outcome) => (outcome === IGNORED ? 'conflict' : outcome));
    }
  }

  /** Resolves taken ids with their durable rows, and writes the plants whose ids are free. */
  async function settle(plants: readonly NewPlant[]): Promise<readonly Outcome<AddResult>[]> {
    const outcomes = new Map<bigint, Outcome<AddResult>>();
    for (const row of await findUnlocked(idsOf(plants))) outcomes.set(row.id, exists(row));
    const left = plants.filter(({ id }) => !outcomes.has(id));
    const taken = left.length > 0 ? await stored(idsOf(left)) : new Set();
    const absent = left.filter(({ id }) => !taken.has(id));
    const written = absent.length > 0 ? await writeIndividually(absent) : [];
    for (const [at, { id }] of absent.entries()) outcomes.set(id, written[at] ?? 'conflict');
    const all = plants.map(({ id }) => outcomes.get(id) ?? 'conflict');
    // If no session holds a lock, row security may hide the rows.
    if (all.includes('conflict') && (await holder.refresh())) await checkTable();
    return all;
  }

  /** Writes plants with one commit, so that each has an outcome of its own. */
  async function writeIndividually(plants: readonly NewPlant[]): Promise<readonly Outcome<AddResult>[]> {
    const rows = sortedRows(plants);
    const failures = (await statements.insertIndividually?.(rows)) ?? (await insertByBisection(rows));
    await checkTableAfter([...failures.values()]);
    return outcomesOf(plants, failures);
  }

  async function outcomesOf(plants: readonly NewPlant[], failures: Failures): Promise<readonly Outcome<AddResult>[]> {
    const taken = await statements.takenAmong?.(failures);
    return plants.map(({ id }) => {
      const failure = failures.get(id);
      if (failure === undefined) return ADDED;
      if (failure === 'taken' || isConflict(failure) || taken?.has(id)) return 'conflict';
      if (failure === 'ignored') return IGNORED;
      return refused(failure);
    });
  }

  async function insertByBisection(rows: readonly PlantRow[]): Promise<Failures> {
    const taken = await stored(rows.map(({ id }) => id));
    const failures = new Map<bigint, Error | 'taken' | 'ignored'>();
    for (const id of taken) failures.set(id, 'taken');
    const absent = rows.filter(({ id }) => !taken.has(id));
    const transaction = isolation ? db.transaction().setIsolationLevel(isolation) : db.transaction();
    if (absent.length > 0) await transaction.execute((each) => bisect(each, absent, failures));
    return failures;
  }

  /** Inserts between savepoints, and splits a part that fails until the failing row is alone. */
  async function bisect(
    transaction: Kysely<Database>,
    rows: readonly PlantRow[],
    failures: Map<bigint, Error | 'taken' | 'ignored'>,
  ): Promise<void> {
    const parts = [rows];
    const left = new Set<bigint>();
    for (let part = parts.pop(); part; part = parts.pop()) {
      await sql`savepoint part`.execute(transaction);
      try {
        const added = await insertWithoutWaiting(transaction, part);
        for (const { id } of part) if (!added.has(id)) left.add(id);
      } catch (error) {
        if (!errors.isRefused(error) && !isConflict(error)) throw error;
        await sql`rollback to savepoint part`.execute(transaction);
        const [first] = part as [PlantRow];
        const half = part.length >> 1;
        if (half > 0) parts.push(part.slice(half), part.slice(0, half));
        else failures.set(first.id, error as Error);
      }
    }
    // A trigger ignored the rows that were not inserted and do not exist.
    const taken = left.size > 0 ? await stored([...left]) : left;
    for (const id of left) failures.set(id, taken.has(id) ? 'taken' : 'ignored');
  }

  return {
    write: (plants) => translated(write(plants)),
    settle: (plants) => translated(settle(plants)),
    // The table is checked last, because the statements of the probe may have waited for an ALTER TABLE.
    probe: () => translated(probe().then(checkTable)),
    checkTable: () => translated(checkTable()),
    close,
    isTransient: errors.isTransient,
    lockedBy: holder.lockedBy,
    waitsFor: holder.waitsFor,
  };
}

/** Sorts by id, because writers with the same order cannot deadlock. */
function sortedRows(plants: readonly NewPlant[]): readonly PlantRow[] {
  const rows = plants.map(rowOf);
  return rows.length === 1 ? rows : rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

const idsOf = (plants: readonly NewPlant[]) => plants.map(({ id }) => id);

const ADDED: Done<AddResult> = { done: { outcome: 'added' } };

const IGNORED: Outcome<AddResult> = {
  refused: new PlantRefused('a trigger of the table plants ignores the plant: check its triggers'),
};

/** 500 ms, so that a change is noticed within a second (`unsafeAddsForMs`), however long the writes in flight take. */
const CHECK_EVERY_MS = 500;

const exists = (row: PlantRow): Done<AddResult> => ({ done: { outcome: 'exists', plant: plantOf(row) } });
