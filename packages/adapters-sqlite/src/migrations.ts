import { StoreUnavailable } from '@plant-store/domain';
import { withTimeout } from '@plant-store/group-commit';
import { type MigrationState, plants } from '@plant-store/sql-store';
import { type CompleteOptions, completeOptions, type SqliteOptions } from './options.ts';
import { statementsOf } from './statements.ts';
import { startWriter, type Writer } from './writer/start-writer.ts';

/**
 * Applies what the file does not have yet: all of it or, when something fails, nothing. Safe to run again, and from
 * several processes at once: one of them migrates, the others wait for it and find it done. Where nothing is missing,
 * nothing is written, and a migration that is newer than this program is left alone.
 *
 * After a second without a response `onWarning` is told. A migration that has begun takes as long as it needs.
 *
 * @returns every migration, in order.
 * @throws {StoreUnavailable} when the file cannot be opened, stays locked for `timeoutMs`, or when the file system does
 * not respond to the opening of it within twice `timeoutMs` and 10 s.
 * @throws {RangeError} when an option is out of its range.
 */
export async function migrateSqlite(options: SqliteOptions): Promise<readonly MigrationState[]> {
  return inWriter(options, async (writer, completed) => {
    const { path, timeoutMs, onWarning } = completed;
    const before = await response(writer.call('migrationStatus', { path, timeoutMs }), completed);
    if (before.every(({ applied }) => applied)) return before;
    // The status of a file that is not there asks nothing of the disk; this writes to it.
    await response(writer.call('open', { path, timeoutMs }, statementsOf(plants)), completed);
    const tooLong = `${path}: still being migrated after ${SAY_AFTER_MS} ms`;
    return await warned(writer.call('migrate', { path, timeoutMs }), onWarning, tooLong);
  });
}

/**
 * Which migrations the file has; none where there is no file. Changes nothing.
 *
 * After a second without a response `onWarning` is told.
 *
 * @returns every migration, in order.
 * @throws {StoreUnavailable} when the file cannot be opened, stays locked for `timeoutMs`, or when the file system does
 * not respond within twice `timeoutMs` and 10 s.
 * @throws {RangeError} when an option is out of its range.
 */
export async function sqliteMigrationStatus(options: SqliteOptions): Promise<readonly MigrationState[]> {
  return inWriter(options, (writer, completed) => {
    const { path, timeoutMs } = completed;
    return response(writer.call('migrationStatus', { path, timeoutMs }), completed);
  });
}

/** Not in this process: a service has to be able to end, even if its file system hangs while it starts. */
async function inWriter<T>(
  options: SqliteOptions,
  use: (writer: Writer, completed: CompleteOptions) => Promise<T>,
): Promise<T> {
  const completed = completeOptions(options);
  const writer = startWriter();
  try {
    return await use(writer, completed);
  } finally {
    await writer.end(completed.timeoutMs);
  }
}

/**
 * Waits for what the writer is asked, but not for ever.
 * @throws {StoreUnavailable} when it does not respond: what waits for a lock does within twice the timeout.
 */
async function response<T>(call: Promise<T>, { path, timeoutMs, onWarning }: CompleteOptions): Promise<T> {
  const withinMs = 2 * timeoutMs + START_MS;
  const late = `${path}: no response for ${SAY_AFTER_MS} ms, waiting up to ${withinMs} ms: check whether its file system hangs, or another process keeps the file locked`;
  const tooLate = `${path}: no response within ${withinMs} ms: the file system hangs; check the disk, then start again`;
  return warned(
    withTimeout(call, withinMs, () => new StoreUnavailable(tooLate)),
    onWarning,
    late,
  );
}

function warned<T>(call: Promise<T>, onWarning: (message: string) => void, message: string): Promise<T> {
  const warning = setTimeout(() => onWarning(message), SAY_AFTER_MS);
  return call.finally(() => clearTimeout(warning));
}

/** 1 s: longer than any start on an idle machine, and short enough that nobody wonders what it waits for. */
const SAY_AFTER_MS = 1_000;

/** 10 s: for the start of the process itself, on a machine that is busy or has a tenth of a core. */
const START_MS = 10_000;
