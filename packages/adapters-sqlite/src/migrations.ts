import { StoreUnavailable } from '@plant-store/domain';
import { withTimeout } from '@plant-store/group-commit';
import { adoptedTableMessage, isMigrated, type MigrationStatus } from '@plant-store/store-kit';
import { completeOptions, type SqliteOptions } from './options.ts';
import { openWriter } from './writer.ts';

/**
 * Applies the missing migrations in one transaction. It may run again, and in several processes at once: one migrates, and the others
 * wait for it. If nothing is missing, it writes nothing. It ignores migrations that are newer than this program. An existing table
 * `plants` is kept and reported to `onWarning`. The migrations themselves have no timeout.
 *
 * @returns every migration, in order.
 * @throws {StoreMisconfigured} if a table `plants` exists that cannot store plants; otherwise as {@link sqliteMigrationStatus}.
 */
export const migrateSqlite = (options: SqliteOptions): Promise<MigrationStatus> => inWriter(options, 'migrate');

/**
 * Reads which migrations the file has. A missing file has none. If that takes longer than a second, it calls `onWarning`.
 *
 * @returns every migration, in order.
 * @throws {StoreUnavailable} if the file cannot be opened or stays locked for `timeoutMs`, or if the file system does not respond
 *   within twice `timeoutMs` plus 10 s.
 * @throws {RangeError} if an option is out of its range.
 */
export const sqliteMigrationStatus = (options: SqliteOptions): Promise<MigrationStatus> => inWriter(options, 'status');

/** Runs in another process, so that a service can exit even if its file system hangs during the start. */
async function inWriter(options: SqliteOptions, task: 'status' | 'migrate'): Promise<MigrationStatus> {
  const completed = completeOptions(options);
  const { path, timeoutMs, onWarning } = completed;
  // Waiting for a lock takes at most twice the timeout. A busy machine takes seconds to start a process.
  const withinMs = 2 * timeoutMs + 10_000;
  const hangs = `${path}: no response within ${withinMs} ms: the file system hangs; check the disk, then restart`;
  const inTime = <T>(call: Promise<T>) => withTimeout(call, withinMs, () => new StoreUnavailable(hangs));
  const warning = setTimeout(onWarning, WARN_AFTER_MS, `${path}: no response for ${WARN_AFTER_MS} ms; ${CAUSES}`);
  const writer = openWriter({ ...completed, onError() {} });
  try {
    const before = await inTime(writer.call('status'));
    if (task === 'status' || isMigrated(before)) return before;
    // The status of a missing file does not access the disk, so only this call shows that the disk responds.
    await inTime(writer.call('open'));
    const { migrations, isAdopted } = await writer.call('migrate');
    if (isAdopted) onWarning(`${path}: ${adoptedTableMessage('plants')}`);
    return migrations;
  } finally {
    clearTimeout(warning);
    await writer.end();
  }
}

/** 1 s: longer than any start on an idle machine. */
const WARN_AFTER_MS = 1_000;
const CAUSES = 'the file system may hang, another process may have locked the file, or a migration may take long';
