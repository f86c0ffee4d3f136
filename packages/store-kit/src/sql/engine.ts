import { type AddResult, type NewPlant, PlantRefused, plantOf, StoreUnavailable } from '@plant-store/domain';
import type { Done, Outcome } from '@plant-store/group-commit';
import type { StoreErrors } from '../errors.ts';
import { knownTable } from '../known-table.ts';
import type { CompleteServerOptions } from '../options.ts';
import { type PlantEngine, StoreUnsafe, withTimeout } from '../plant-store.ts';
import { type PlantRow, rowOf } from '../rows.ts';
import { type Blocker, type LockHolder, lockHolder } from './lock-holder.ts';
import type { DriverSession, SessionPool } from './sessions.ts';

/** The statements that the adapter of a database server implements. They throw the driver's own errors. */
export interface SqlStatements<Session extends DriverSession> {
  /**
   * Inserts and commits the rows whose ids are free. Resolves with their ids, or with `all`. If it fails, it inserts no row. It
   * may wait briefly for locked rows.
   */
  insert(session: Session, rows: readonly PlantRow[]): Promise<ReadonlySet<bigint> | 'all'>;
  /** The messages that begin a transaction for `insertPart`. */
  begin(): readonly string[];
  /** Does the same as `insert` within a transaction, and does not wait for locked rows. */
  insertPart(session: Session, rows: readonly PlantRow[]): Promise<ReadonlySet<bigint> | 'all'>;
  /** Finds the rows with the ids, once they are durable. Skips locked rows. */
  findUnlocked(session: Session, ids: readonly bigint[]): Promise<readonly PlantRow[]>;
  /** Finds which ids are taken, without waiting for locks. The rows may not be durable, so it must not decide an outcome. */
  stored(session: Session, ids: readonly bigint[]): Promise<ReadonlySet<bigint>>;
  /** Fails if an insert would fail for lack of a server, a table, a privilege, space or a durable commit. `checkTable` follows. */
  probe(session: Session): Promise<void>;
  /**
   * Checks the shape of the table, and settings of the server by which it could lose plants.
   *
   * @param withinMs the timeout of each statement, in milliseconds.
   * @returns the identity of the table, which changes if another one takes its place.
   * @throws {StoreUnsafe} with the reason if it cannot store every plant, or could lose one.
   */
  checkTable(session: Session, withinMs: number): Promise<string>;
  /** Finds the smallest and the largest id, null if there are no plants. */
  firstAndLast(session: Session): Promise<readonly (bigint | null)[]>;
  /**
   * Finds the session that has held locks on the table longest. It names none of plant-store, which hold locks while they wait for
   * something else. It may fail, and undefined means unknown.
   */
  lockHolder?(session: Session): Promise<Blocker | undefined>;
  /** Whether an insert failed because a row is locked or its id is taken. */
  isConflict(error: unknown): boolean;
  /**
   * Finds the ids that are, or may be, taken although their rows failed with an error that would refuse the plant. None by default.
   */
  takenAmong?(session: Session, failures: Failures): Promise<ReadonlySet<bigint>>;
  readonly errors: StoreErrors;
}

/** Why rows were not inserted, by their ids: an error, a taken id, or a trigger that ignored the row. */
export type Failures = ReadonlyMap<bigint, Error | 'taken' | 'ignored'>;

/** The group commit engine of a database server. While it writes, it checks the table every {@link CHECK_EVERY_MS}. */
export interface SqlEngine extends PlantEngine, Pick<LockHolder, 'lockedBy' | 'waitsFor'> {
  /** Checks the table. @throws {StoreUnsafe} with the reason if it cannot store every plant, or replaced one that had more. */
  checkTable(): Promise<void>;
}

/** Makes the group commit engine from an adapter's statements. Its errors are the port's. */
export function sqlEngine<Session extends DriverSession>(
  sessions: SessionPool<Session>,
  statements: SqlStatements<Session>,
  { timeoutMs }: Pick<CompleteServerOptions, 'timeoutMs'>,
): SqlEngine {
  const { begin, insertPart, findUnlocked, stored, isConflict, errors } = statements;
  const table = knownTable();
  let checkedAt = -Infinity;
  const inTime = () => performance.now() + timeoutMs;
  const findHolder = statements.lockHolder;
  const holder = lockHolder(findHolder && (() => sessions.use(findHolder, inTime())), timeoutMs);

  async function translated<T>(work: Promise<T>, deadline = inTime()): Promise<T> {
    try {
      return await holder.watch(work, deadline);
    } catch (error) {
      let reason = error;
      if (errors.mayBeCausedByTable(error))
        await checkTable().catch((fault: unknown) => {
          reason = fault;
        });
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

  const checkTable = () => sessions.use(checkTableOn, inTime());

  async function checkTableOn(session: Session): Promise<void> {
    const identity = await statements.checkTable(session, timeoutMs);
    if (!table.isKnown) table.remember((await statements.firstAndLast(session)).filter((id) => id !== null));
    const expected = table.expectedIn(identity);
    const found = expected.length > 0 ? await stored(session, expected) : new Set();
    table.accept(
      identity,
      expected.filter((id) => !found.has(id)),
    );
  }

  async function probe(session: Session): Promise<void> {
    await statements.probe(session);
    // Last, because the statements of the probe may have waited for an ALTER TABLE.
    await checkTableOn(session);
  }

  /**
   * Checks the table after a write and before it is acknowledged, unless that was done a moment ago. An outage does not fail the
   * write, because its plants are committed.
   */
  async function checkWhileWriting(
    plants: readonly NewPlant[],
    outcomes: readonly Outcome<AddResult>[],
    deadline: number,
  ): Promise<void> {
    const now = performance.now();
    if (now - checkedAt < CHECK_EVERY_MS) return;
    // Until it ends, because checks that hang would occupy all connections.
    checkedAt = Infinity;
    const checking = checkTable().finally(() => {
      checkedAt = now;
    });
    try {
      // Half of the time that is left, so that a check that hangs does not fail the write.
      await withTimeout(checking, Math.max(1, (deadline - now) / 2));
      table.remember(idsOf(plants.filter((_, at) => outcomes[at] === ADDED)));
    } catch (error) {
      if (StoreUnsafe.is(error)) throw error;
    }
  }

  /** Reports a table of the wrong shape rather than the errors that it causes, which would blame plants or the server. */
  async function checkTableAfter(session: Session, failures: readonly unknown[]): Promise<void> {
    if (failures.some(errors.mayBeCausedByTable)) await checkTableOn(session);
  }

  async function write(plants: readonly NewPlant[], deadline: number): Promise<readonly Outcome<AddResult>[]> {
    const outcomes = await sessions.use((session) => insert(session, plants, deadline), deadline);
    await checkWhileWriting(plants, outcomes, deadline);
    return outcomes;
  }

  async function insert(
    session: Session,
    plants: readonly NewPlant[],
    deadline: number,
  ): Promise<readonly Outcome<AddResult>[]> {
    try {
      const added = await statements.insert(session, sortedRows(plants));
      if (added === 'all') return Array(plants.length).fill(ADDED);
      return plants.map(({ id }) => (added.has(id) ? ADDED : 'conflict'));
    } catch (error) {
      const isRefused = errors.isRefused(error);
      if (!isRefused && !isConflict(error)) throw error;
      await checkTableAfter(session, [error]);
      if (isRefused && plants.length === 1)
        return outcomesOf(session, plants, new Map([[idsOf(plants)[0] as bigint, error as Error]]));
      // Another session may have deleted a row that looked ignored, so it is tried again.
      const outcomes = await insertIndividually(session, plants, deadline);
      return outcomes.map((outcome) => (outcome === IGNORED ? 'conflict' : outcome));
    }
  }

  async function settle(plants: readonly NewPlant[], deadline: number): Promise<readonly Outcome<AddResult>[]> {
    const outcomes = await sessions.use((session) => settleOn(session, plants, deadline), deadline);
    // If no session holds a lock, row security may hide the rows.
    if (outcomes.includes('conflict') && (await holder.refresh())) await checkTable();
    return outcomes;
  }

  /** Resolves taken ids with their durable rows, and writes the plants whose ids are free. */
  async function settleOn(
    session: Session,
    plants: readonly NewPlant[],
    deadline: number,
  ): Promise<readonly Outcome<AddResult>[]> {
    const outcomes = new Map<bigint, Outcome<AddResult>>();
    for (const row of await findUnlocked(session, idsOf(plants))) outcomes.set(row.id, exists(row));
    const left = plants.filter(({ id }) => !outcomes.has(id));
    const written = left.length > 0 ? await insertIndividually(session, left, deadline) : [];
    for (const [at, { id }] of left.entries()) outcomes.set(id, written[at] ?? 'conflict');
    return plants.map(({ id }) => outcomes.get(id) ?? 'conflict');
  }

  /** Inserts plants with one commit, so that each has an outcome of its own. A part that fails is split until one row is left. */
  async function insertIndividually(
    session: Session,
    plants: readonly NewPlant[],
    deadline: number,
  ): Promise<readonly Outcome<AddResult>[]> {
    const failures = new Map<bigint, Error | 'taken' | 'ignored'>();
    for (const id of await stored(session, idsOf(plants))) failures.set(id, 'taken');
    const absent = sortedRows(plants.filter(({ id }) => !failures.has(id)));
    const missing =
      absent.length > 0
        ? await session.transaction(begin(), () => insertParts(session, absent, failures, deadline))
        : [];
    // A trigger ignored the rows that were not inserted and do not exist.
    const taken = missing.length > 0 ? await stored(session, missing) : new Set();
    for (const id of missing) failures.set(id, taken.has(id) ? 'taken' : 'ignored');
    await checkTableAfter(session, [...failures.values()]);
    return outcomesOf(session, plants, failures);
  }

  /**
   * Inserts between savepoints. Splitting a part in four takes as many statements as halving it to find one row, and two thirds of
   * them if all rows fail.
   *
   * A block on the server, row by row, was tried. With it the others store 1.5 times as much if 1 client of 64 sends rejected plants.
   * It took 170 lines on PostgreSQL and MariaDB, MySQL and Citus cannot run it, and only the operator's own constraints reject plants.
   *
   * @returns the ids that were not inserted without an error.
   */
  async function insertParts(
    session: Session,
    rows: readonly PlantRow[],
    failures: Map<bigint, Error | 'taken' | 'ignored'>,
    deadline: number,
  ): Promise<readonly bigint[]> {
    const parts = [rows];
    const missing: bigint[] = [];
    let isSaved = false;
    for (let part = parts.pop(); part; part = parts.pop()) {
      if (performance.now() > deadline) throw new StoreUnavailable('the deadline of the batch has passed');
      if (!isSaved) await session.command('savepoint part');
      try {
        const added = await insertPart(session, part);
        isSaved = false;
        if (added !== 'all') for (const { id } of part) if (!added.has(id)) missing.push(id);
      } catch (error) {
        if (!errors.isRefused(error) && !isConflict(error)) throw error;
        await session.command('rollback to savepoint part');
        // It keeps the savepoint.
        isSaved = true;
        const quarter = Math.ceil(part.length / 4);
        if (part.length === 1) for (const { id } of part) failures.set(id, error as Error);
        else for (let at = part.length; at > 0; at -= quarter) parts.push(part.slice(Math.max(0, at - quarter), at));
      }
    }
    return missing;
  }

  async function outcomesOf(
    session: Session,
    plants: readonly NewPlant[],
    failures: Failures,
  ): Promise<readonly Outcome<AddResult>[]> {
    const taken = await statements.takenAmong?.(session, failures);
    return plants.map(({ id }) => {
      const failure = failures.get(id);
      if (failure === undefined) return ADDED;
      if (failure === 'taken' || isConflict(failure) || taken?.has(id)) return 'conflict';
      if (failure === 'ignored') return IGNORED;
      return { refused: errors.translate(failure) as Error };
    });
  }

  return {
    write: (plants, deadline) => translated(write(plants, deadline), deadline),
    settle: (plants, deadline) => translated(settle(plants, deadline), deadline),
    probe: () => translated(sessions.use(probe, inTime())),
    checkTable: () => translated(checkTable()),
    close: sessions.end,
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
