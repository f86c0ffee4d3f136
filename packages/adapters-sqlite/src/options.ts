import { resolve } from 'node:path';
import { type CompleteLimits, completeLimits, type GroupCommitLimits } from '@plant-store/group-commit';
import { type Callbacks, completeCallbacks } from '@plant-store/sql-store';

/**
 * Where plants are kept, and the limits within which they are. `timeoutMs` is spent waiting for the disk, for other
 * processes that write to the file, and for a turn behind earlier adds. The file takes one write at a time.
 */
export interface SqliteOptions extends Omit<GroupCommitLimits, 'maxWrites'>, Callbacks {
  /**
   * The database file. It is made when it is not there, and so are missing parent directories, for their owner alone
   * (0600 and 0700). Several processes of one host may share it; a network file system is no place for it (https://sqlite.org/wal.html, section 2.2).
   */
  readonly path: string;
}

/** The options with every default filled in. */
export interface CompleteOptions extends CompleteLimits, Required<Callbacks> {
  readonly path: string;
}

/**
 * Fills in the defaults.
 * @throws {RangeError} when an option is out of its range.
 */
export function completeOptions(options: SqliteOptions): CompleteOptions {
  const { path } = options;
  if (path === '') throw new RangeError('path is empty; give the path of the SQLite file');
  // Absolute, so that SQLite takes none for a URI or for the name of a database in memory.
  return { ...completeLimits({ ...options, maxWrites: 1 }), path: resolve(path), ...completeCallbacks(options) };
}
