import { StoreUnavailable } from '@plant-store/domain';
import { withTimeout } from '@plant-store/group-commit';
import { adoptedTableMessage, isMigrated, type MigrationStatus } from '@plant-store/store-kit';
import { completeOptions, type SqliteOptions } from './options.ts';
import { openWriter } from './writer.ts';

/**
 * Applies what the file does not have yet: all of it or, when something fails, nothing. Safe to run again, and from
 * several processes at once: one of them migrates, the others wait for it and find it done. Where nothing is missing,
 * nothing is written, and a migration that is newer than this program is left alone. A table of plants that is there
 * already is kept, and `onWarning` told. A migration that has begun takes as long as it needs.
 *
 * @returns every migration, in order.
 * @throws what {@link sqliteMigrationStatus} does; {@link StoreMisconfigured} for a table `plants` that cannot keep plants.
 */
export const migrateSqlite = (options: SqliteOptions): Promise<MigrationStatus> => inWriter(options, 'migrate');

/**
 * Which migrations the file has; none where there is no file. Changes nothing. After a second `onWarning` is told.
 *
 * @returns every migration, in order.
 * @throws {StoreUnavailable} when the file cannot be opened, stays locked for `timeoutMs`, or when the file system does
 * not respond within twice `timeoutMs` and 10 s.
 * @throws {RangeError} when an option is out of its range.
 */
export const sqliteMigrationStatus = (options: SqliteOptions): Promise<MigrationStatus> => inWriter(options, 'status');

/** Not in this process: a service has to be able to end, even if its file system hangs while it starts. */
async function inWriter(options: SqliteOptions, task: 'status' | 'migrate'): Promise<MigrationStatus> {
  const completed = completeOptions(options);
  const { path, timeoutMs, onWarning } = completed;
  // What waits for a lock ends within twice the timeout. A busy machine takes seconds to start a process.
  const withinMs = 2 * timeoutMs + 10_000;
  const hangs = `${path}: no response within ${withinMs} ms: the file system hangs; check the disk, then start again`;
  const inTime = <T>(call: Promise<T>) => withTimeout(call, withinMs, () => new StoreUnavailable(hangs));
  const warning = setTimeout(onWarning, WARN_AFTER_MS, `${path}: no response for ${WARN_AFTER_MS} ms; ${CAUSES}`);
  const writer = openWriter({ ...completed, onError() {} });
  try {
    const before = await inTime(writer.call('status'));
    if (task === 'status' || isMigrated(before)) return before;
    // The status of a file that is not there asks nothing of the disk; this writes to it.
    await inTime(writer.call('open'));
    const { migrations, isAdopted } = await writer.call('migrate');
    if (isAdopted) onWarning(`${path}: ${adoptedTableMessage('plants')}`);
    return migrations;
  } finally {
    clearTimeout(warning);
    await writer.end();
  }
}

/** 1 s: longer than any start on an idle machine, and short enough that nobody wonders what it waits for. */
const WARN_AFTER_MS = 1_000;
const CAUSES = 'its file system may hang, another process may keep the file locked, or a migration takes long';
