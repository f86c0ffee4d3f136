import type { MigrationState } from '@plant-store/group-commit';
import { completeOptions, type SqliteOptions } from './options.ts';
import { startWriter } from './writer/start-writer.ts';

/**
 * Applies what the file does not have yet: all of it or, when something fails, nothing. Safe to run again, and from
 * several processes at once: one of them migrates, the others wait for it and find it done. Where nothing is missing,
 * nothing is written, and a migration that is newer than this program is left alone.
 *
 * @returns every migration, in order.
 * @throws {StoreUnavailable} when the file cannot be opened, or stays locked for `timeoutMs`.
 * @throws {RangeError} when an option is out of its range.
 */
export async function migrateSqlite(options: SqliteOptions): Promise<readonly MigrationState[]> {
  return inWriter('migrate', options);
}

/**
 * Which migrations the file has; none where there is no file. Changes nothing.
 *
 * @returns every migration, in order.
 * @throws {StoreUnavailable} when the file cannot be opened, or stays locked for `timeoutMs`.
 * @throws {RangeError} when an option is out of its range.
 */
export async function sqliteMigrationStatus(options: SqliteOptions): Promise<readonly MigrationState[]> {
  return inWriter('migrationStatus', options);
}

/** Not in this process: a service has to be able to end, even if its file system hangs while it starts. */
async function inWriter(operation: 'migrate' | 'migrationStatus', options: SqliteOptions) {
  const { path, timeoutMs } = completeOptions(options);
  const writer = startWriter();
  try {
    return await writer.call(operation, { path, timeoutMs });
  } finally {
    await writer.end(timeoutMs);
  }
}
