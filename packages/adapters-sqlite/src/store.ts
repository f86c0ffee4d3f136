import { resolve } from 'node:path';
import type { StoreCapabilities } from '@plant-store/domain';
import type { GroupCommitLimits } from '@plant-store/group-commit';
import { type Callbacks, completeOptions, type SharedStorage, serverCapabilities } from '@plant-store/store-kit';
import { sqlStorage } from '@plant-store/store-kit/sql';
import { openSqliteDatabase } from './database.ts';

/** The options of a store on a SQLite file, which takes one write at a time. Times are whole milliseconds. */
export interface SqliteOptions extends Omit<GroupCommitLimits, 'maxWrites'>, Callbacks {
  /**
   * The path of the database file. A missing file and missing directories are created with the modes 0600 and 0700. Processes of one
   * host may share the file. It must not be on a network file system (https://sqlite.org/wal.html, section 2.2).
   */
  readonly path: string;
}

/** The capabilities of a store on a SQLite file: it responds after the sync, and other processes may use or lock the file. */
export const sqliteCapabilities: StoreCapabilities = { ...serverCapabilities, survivesServerCrash: false };

/**
 * The storage on a SQLite file, which other processes of the host may share. Concurrent adds share a commit. SQLite runs in this
 * process, so a file system that hangs blocks it. A missing file has no migrations.
 *
 * @throws {RangeError} if an option is out of its range.
 */
export function sqliteStorage(options: SqliteOptions): SharedStorage {
  if (options.path === '') throw new RangeError('path is empty; give the path of the SQLite file');
  // SQLite would take some relative paths for a URI or a database in memory.
  const path = resolve(options.path);
  return sqlStorage((_, access) => openSqliteDatabase(path, access), completeOptions({ ...options, maxWrites: 1 }));
}
