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
  /**
   * Inserts rows with one commit, so that a row that fails does not affect the others. It does not wait for locked rows, and ends
   * soon after the deadline, a time of `performance.now()`. If it is missing, or resolves with undefined because the server
   * cannot do it, the engine splits the batch between savepoints.
   */
  insertIndividually?(session: Session, rows: readonly PlantRow[], deadline: number): Promise<Failures | undefined>;
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
  /** When the latest check began, and the latest that passed. */
  let [checkedAt, passedAt] = [-Infinity, -Infinity];
  /** The latest check, until a write waits for it. */
  let checking: Promise<void> | undefined;
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
   * Checks the table after a write, unless that was done a moment ago. The write waits for the check only if the latest one that
   * passed is old. Otherwise two writes a second would take 3 ms longer. An outage does not fail the write, because its plants are
   * committed.
   */
  async function checkWhileWriting(
    plants: readonly NewPlant[],
    outcomes: readonly Outcome<AddResult>[],
    deadline: number,
  ): Promise<void> {
    const now = performance.now();
    if (now - checkedAt >= CHECK_EVERY_MS) {
      // Until it ends, because checks that hang would occupy all connections.
      checkedAt = Infinity;
      checking = checkTable()
        .then(
          () => {
            passedAt = now;
            table.remember(idsOf(plants.filter((_, at) => outcomes[at] === ADDED)));
          },
          (error: unknown) => {
            if (!StoreUnsafe.is(error)) return;
            passedAt = -Infinity;
            throw error;
          },
        )
        .finally(() => {
          checkedAt = now;
        });
      checking.catch(() => {});
    }
    if (now - passedAt <= YOUNG_MS || !checking) return;
    const awaited = checking;
    // One that hangs delays one write.
    checking = undefined;
    // Half of the time that is left, so that it does not fail the write either.
    await withTimeout(awaited, Math.max(1, (deadline - now) / 2)).catch((error: unknown) => {
      if (StoreUnsafe.is(error)) throw error;
    });
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
      const outcomes = await writeIndividually(session, plants, deadline, true);
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
    const written = left.length > 0 ? await writeIndividually(session, left, deadline) : [];
    for (const [at, { id }] of left.entries()) outcomes.set(id, written[at] ?? 'conflict');
    return plants.map(({ id }) => outcomes.get(id) ?? 'conflict');
  }

  /**
   * Writes plants with one commit, so that each has an outcome of its own.
   *
   * @param hasFailed whether they have just failed together.
   */
  async function writeIndividually(
    session: Session,
    plants: readonly NewPlant[],
    deadline: number,
    hasFailed = false,
  ): Promise<readonly Outcome<AddResult>[]> {
    assertInTime(deadline);
    const rows = sortedRows(plants);
    const failures =
      (await statements.insertIndividually?.(session, rows, deadline)) ??
      (await insertBetweenSavepoints(session, rows, deadline, hasFailed));
    await checkTableAfter(session, [...failures.values()]);
    return outcomesOf(session, plants, failures);
  }

  async function insertBetweenSavepoints(
    session: Session,
    rows: readonly PlantRow[],
    deadline: number,
    hasFailed: boolean,
  ): Promise<Failures> {
    const failures = new Map<bigint, Error | 'taken' | 'ignored'>();
    for (const id of await stored(session, idsOf(rows))) failures.set(id, 'taken');
    const absent = rows.filter(({ id }) => !failures.has(id));
    // On MySQL they may have failed only because ids are taken.
    const parts = hasFailed && failures.size === 0 ? quarters(absent) : [absent];
    const missing =
      absent.length > 0
        ? await session.transaction(begin(), () => insertParts(session, parts, failures, deadline))
        : [];
    // A trigger ignored the rows that were not inserted and do not exist.
    const taken = missing.length > 0 ? await stored(session, missing) : new Set();
    for (const id of missing) failures.set(id, taken.has(id) ? 'taken' : 'ignored');
    return failures;
  }

  /**
   * Inserts between savepoints, and splits a part that fails until one row is left. Quarters take as many statements as halves to
   * find one row, and two thirds of them if all rows fail.
   *
   * @returns the ids that were not inserted without an error.
   */
  async function insertParts(
    session: Session,
    parts: (readonly PlantRow[])[],
    failures: Map<bigint, Error | 'taken' | 'ignored'>,
    deadline: number,
  ): Promise<readonly bigint[]> {
    const missing: bigint[] = [];
    let isSaved = false;
    for (let part = parts.shift(); part; part = parts.shift()) {
      assertInTime(deadline);
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
        if (part.length === 1) for (const { id } of part) failures.set(id, error as Error);
        else parts.unshift(...quarters(part));
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

const idsOf = (plants: readonly { readonly id: bigint }[]) => plants.map(({ id }) => id);

function quarters(rows: readonly PlantRow[]): (readonly PlantRow[])[] {
  const size = Math.ceil(rows.length / 4);
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => rows.slice(at * size, (at + 1) * size));
}

function assertInTime(deadline: number): void {
  if (performance.now() > deadline) throw new StoreUnavailable('the deadline of the batch has passed');
}

const ADDED: Done<AddResult> = { done: { outcome: 'added' } };

const IGNORED: Outcome<AddResult> = {
  refused: new PlantRefused('a trigger of the table plants ignores the plant: check its triggers'),
};

/** 500 ms, so that a change is noticed within a second (`unsafeAddsForMs`), however long the writes in flight take. */
const CHECK_EVERY_MS = 500;

/** 800 ms, so that a write that does not wait follows a check that passed by less than `unsafeAddsForMs`. */
const YOUNG_MS = 800;

const exists = (row: PlantRow): Done<AddResult> => ({ done: { outcome: 'exists', plant: plantOf(row) } });
