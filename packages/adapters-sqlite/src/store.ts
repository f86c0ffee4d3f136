import { setTimeout as sleep } from 'node:timers/promises';
import { type PlantStore, StoreUnavailable } from '@plant-store/domain';
import type { Outcome } from '@plant-store/group-commit';
import {
  type AnyResult,
  openTableStore,
  plantStoreOf,
  plants,
  type Table,
  type TableStore,
} from '@plant-store/sql-store';
import { completeOptions, type SqliteOptions } from './options.ts';
import { batchOf, statementsOf } from './statements.ts';
import { startWriter, type Writer } from './writer/start-writer.ts';

/**
 * Opens a store that keeps plants in a SQLite file, which other processes of the host may share. Adds that wait at the
 * same time are stored with one commit. The file has to be migrated (`migrateSqlite`), before or after: until it is,
 * adds and checks throw {@link StoreUnavailable}.
 *
 * The file is used by a process of its own, the writer, so a file system that hangs does not stop this one: adds and
 * checks throw {@link StoreUnavailable} in time, `close` ends, and the store recovers automatically. A writer that
 * exits is reported to `onError` and replaced. Opening resolves within `timeoutMs`, if need be with a store that is not ready yet.
 *
 * @throws {StoreUnavailable} when the file cannot be opened, with what to do about it.
 * @throws {RangeError} when an option is out of its range.
 */
export async function openSqlite(options: SqliteOptions): Promise<PlantStore> {
  return plantStoreOf(await openTable(plants, options));
}

/** The same for any table, which is there already. */
export async function openTable<Item extends object, Key extends bigint | string, Result extends AnyResult>(
  table: Table<Item, Key, Result>,
  options: SqliteOptions,
): Promise<TableStore<Item, Key, Result>> {
  const completed = completeOptions(options);
  const { path, timeoutMs, onError } = completed;
  const statements = statementsOf(table);
  let isReported = false;
  let { writer, opened, startedAt } = open();
  // What takes longer goes on: a file system that hangs, or the recovery of a long log. Until then the store is not ready.
  await Promise.race([opened, sleep(timeoutMs, undefined, { ref: false })]);

  function open() {
    const started = startWriter(report);
    const opening = started.call('open', { path, timeoutMs }, statements);
    opening.then(
      () => {
        isReported = false;
      },
      () => started.end(0),
    );
    return { writer: started, opened: opening, startedAt: performance.now() };
  }

  /** Once until another one has opened the file: otherwise a writer that cannot run would fill the log. */
  function report(error: StoreUnavailable): void {
    if (!isReported) onError(error);
    isReported = true;
  }

  /** The writer, a new one if need be, once the file is open. */
  async function ready(): Promise<Writer> {
    const now = performance.now();
    if (!writer.isRunning && now - startedAt > RESTART_PAUSE_MS) ({ writer, opened, startedAt } = open());
    // Otherwise every add that times out would leave a call behind, for as long as the file system hangs.
    if (isStuck(writer)) throw new StoreUnavailable(`${path}: the file system does not respond: check the disk`);
    await opened;
    return writer;
  }

  /** Twice the timeout: what waits for a lock ends by then. */
  const isStuck = ({ busySince = Infinity }: Writer) => performance.now() - busySince > 2 * timeoutMs;

  return openTableStore(
    table,
    {
      async write(items, deadline) {
        const running = await ready();
        const outcomes: Outcome<Result>[] = Array(items.length).fill(table.added);
        const taken = await running.call('insert', batchOf(table, items), deadline - performance.now());
        for (const { at, row } of taken) outcomes[at] = table.exists(row);
        return outcomes;
      },
      async probe() {
        const running = await ready();
        await running.call('probe', timeoutMs);
      },
      close: () => writer.end(isStuck(writer) ? 0 : timeoutMs),
      // Every other failure shows at once, and a lock is usually released within the deadlines of those that wait.
      hasCircuitBreaker: false,
    },
    completed,
  );
}

/** 1 s: a writer that cannot run must not be started in a tight loop. */
const RESTART_PAUSE_MS = 1_000;
