import { type AddResult, type NewPlant, PlantRefused, plantOf } from '@plant-store/domain';
import type { Done, Outcome } from '@plant-store/group-commit';
import { type IsolationLevel, type Kysely, sql } from 'kysely';
import type { StoreErrors } from '../errors.ts';
import type { CompleteServerOptions } from '../options.ts';
import type { PlantEngine } from '../plant-store.ts';
import { type Database, type PlantRow, rowOf } from './database.ts';
import { lockHolder } from './lock-holder.ts';
import type { SessionRow } from './other-session.ts';

/** What the adapter of a database server brings. Errors are the driver's own. */
export interface SqlStatements {
  /**
   * Inserts the rows whose ids are free, with a commit of its own, and resolves with these ids, or with `all`; or fails, and
   * inserts none. It may wait for a moment for what other sessions have locked.
   */
  insert(rows: readonly PlantRow[]): Promise<ReadonlySet<bigint> | 'all'>;
  /**
   * Inserts rows with one commit, of which each may fail alone, without waiting for what is locked; resolves with what each
   * fails with, or why it was not inserted. Where there is no such means, now or at all, that is done by halves, between
   * savepoints.
   */
  insertApart?(rows: readonly PlantRow[]): Promise<Failures | undefined>;
  /** As `insert`, but within a transaction, and without waiting for what is locked. */
  insertAtOnce(transaction: Kysely<Database>, rows: readonly PlantRow[]): Promise<ReadonlySet<bigint>>;
  /** The rows that have the ids, once they are durable; without those that another session has locked. Waits for no lock. */
  findUnlocked(ids: readonly bigint[]): Promise<readonly PlantRow[]>;
  /** Those of the ids that a row has. No outcome may rest on it: the row may not be durable yet. Waits for no lock. */
  stored(ids: readonly bigint[]): Promise<ReadonlySet<bigint>>;
  /** Fails whenever an insert would for lack of a server, a table, a privilege, space or a durable commit. */
  probe(): Promise<void>;
  /** Looks whether the table would keep every plant. @throws {UnsafeStore} if it would not, with why. */
  assertFit(): Promise<void>;
  /** The session of another program that has held locks on the table for longest. It may fail, and need not know. */
  lockHolder?(): Promise<SessionRow | undefined>;
  /** Whether an insert has failed because one of the rows is locked, or its id taken. */
  isConflict(error: unknown): boolean;
  /** Of the transactions in which plants are written apart; the server's own by default. */
  readonly isolation?: IsolationLevel;
  readonly errors: StoreErrors;
  /** Closes the connections; what still runs is cut off. */
  close(): Promise<void>;
}

/** By the ids of rows that were not inserted: what they fail with, or why. */
export type Failures = ReadonlyMap<bigint, Error | 'taken' | 'ignored'>;

/** The engine of group commit of a database server. */
export interface SqlEngine extends PlantEngine {
  /** Who keeps plants waiting, for messages. */
  readonly lockedBy: () => string | undefined;
}

export function sqlEngine(
  db: Kysely<Database>,
  statements: SqlStatements,
  { timeoutMs }: Pick<CompleteServerOptions, 'timeoutMs'>,
): SqlEngine {
  const { insert, insertAtOnce, findUnlocked, stored, probe, assertFit, isConflict, isolation, errors, close } =
    statements;
  const holder = lockHolder(statements.lockHolder, timeoutMs);

  async function translated<T>(work: Promise<T>): Promise<T> {
    try {
      return await holder.watch(work);
    } catch (error) {
      throw errors.translate(
        await explain([error]).then(
          () => error,
          (fault: unknown) => fault,
        ),
      );
    }
  }

  /** What has been changed about the table says more than what a statement fails with for it, and is nobody else's fault. */
  async function explain(failures: readonly unknown[]): Promise<void> {
    if (failures.some(errors.isDoubtful)) await assertFit();
  }

  const refused = (error: unknown): Outcome<AddResult> => ({ refused: errors.translate(error) as Error });

  async function write(plants: readonly NewPlant[]): Promise<readonly Outcome<AddResult>[]> {
    try {
      const added = await insert(sortedRows(plants));
      if (added === 'all') return Array(plants.length).fill(ADDED);
      return plants.map(({ id }) => (added.has(id) ? ADDED : 'conflict'));
    } catch (error) {
      const isRefused = errors.isRefused(error);
      if (!isRefused && !isConflict(error)) throw error;
      await explain([error]);
      if (isRefused && plants.length === 1) return [refused(error)];
      // What was passed over may have been deleted in that moment: it is tried once more.
      return (await writeApart(plants)).map((outcome) => (outcome === IGNORED ? 'conflict' : outcome));
    }
  }

  /** What has the ids is told once it is durable; what nobody has is written now. */
  async function settle(plants: readonly NewPlant[]): Promise<readonly Outcome<AddResult>[]> {
    const outcomes = new Map<bigint, Outcome<AddResult>>();
    for (const row of await findUnlocked(idsOf(plants))) outcomes.set(row.id, exists(row));
    const left = plants.filter(({ id }) => !outcomes.has(id));
    const taken = left.length > 0 ? await stored(idsOf(left)) : new Set();
    const absent = left.filter(({ id }) => !taken.has(id));
    const written = absent.length > 0 ? await writeApart(absent) : [];
    for (const [at, { id }] of absent.entries()) outcomes.set(id, written[at] ?? 'conflict');
    const all = plants.map(({ id }) => outcomes.get(id) ?? 'conflict');
    // What nobody has locked the table may hide.
    if (all.includes('conflict') && (await holder.ask())) await assertFit();
    return all;
  }

  /** What a batch cannot do, its plants do: each gets its own outcome, with one commit for all. */
  async function writeApart(plants: readonly NewPlant[]): Promise<readonly Outcome<AddResult>[]> {
    const rows = sortedRows(plants);
    const failures = (await statements.insertApart?.(rows)) ?? (await byHalves(rows));
    await explain([...failures.values()]);
    return plants.map(({ id }) => {
      const failure = failures.get(id);
      if (failure === undefined) return ADDED;
      if (failure === 'taken' || isConflict(failure)) return 'conflict';
      if (failure === 'ignored') return IGNORED;
      // For the sake of the row or not, it is this plant's alone.
      return refused(failure);
    });
  }

  async function byHalves(rows: readonly PlantRow[]): Promise<Failures> {
    const taken = await stored(rows.map(({ id }) => id));
    const failures = new Map<bigint, Error | 'taken' | 'ignored'>();
    for (const id of taken) failures.set(id, 'taken');
    const absent = rows.filter(({ id }) => !taken.has(id));
    if (absent.length > 0) await inOneTransaction(absent, failures);
    return failures;
  }

  async function inOneTransaction(rows: readonly PlantRow[], failures: Map<bigint, Error | 'taken' | 'ignored'>) {
    const builder = db.startTransaction();
    const transaction = await (isolation ? builder.setIsolationLevel(isolation) : builder).execute();
    try {
      await insertInParts(transaction, rows, failures);
      await transaction.commit().execute();
    } catch (error) {
      // A lost connection has nothing to roll back.
      await transaction
        .rollback()
        .execute()
        .catch(() => {});
      throw error;
    }
  }

  /** Between savepoints, by halves: those of one that fails, until it is alone. */
  async function insertInParts(
    transaction: Kysely<Database>,
    rows: readonly PlantRow[],
    failures: Map<bigint, Error | 'taken' | 'ignored'>,
  ): Promise<void> {
    const parts = [rows];
    const left = new Set<bigint>();
    for (let part = parts.pop(); part; part = parts.pop()) {
      await sql`savepoint part`.execute(transaction);
      try {
        const added = await insertAtOnce(transaction, part);
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
    // What was neither inserted, nor is there, a trigger has passed over.
    const taken = left.size > 0 ? await stored([...left]) : left;
    for (const id of left) failures.set(id, taken.has(id) ? 'taken' : 'ignored');
  }

  return {
    write: (plants) => translated(write(plants)),
    settle: (plants) => translated(settle(plants)),
    probe: () => translated(probe()),
    close,
    isTransient: errors.isTransient,
    lockedBy: holder.found,
  };
}

/** In the order in which every writer writes, so that writers may wait for one another, but never deadlock. */
function sortedRows(plants: readonly NewPlant[]): readonly PlantRow[] {
  const rows = plants.map(rowOf);
  return rows.length === 1 ? rows : rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

const idsOf = (plants: readonly NewPlant[]) => plants.map(({ id }) => id);

const ADDED: Done<AddResult> = { done: { outcome: 'added' } };

const IGNORED: Outcome<AddResult> = {
  refused: new PlantRefused('the table plants ignores the plant: see its triggers'),
};

const exists = (row: PlantRow): Done<AddResult> => ({ done: { outcome: 'exists', plant: plantOf(row) } });
