import { resolve } from 'node:path';
import { groupCommitLimits, parseLimits } from '@plant-store/group-commit';
import { completeCallbacks, type Storage } from '@plant-store/store-kit';
import { sqlStorage } from '@plant-store/store-kit/sql';
import type { SqliteOptions } from './options.ts';
import { openSqliteDatabase } from './sqlite-database.ts';

/**
 * The storage on a SQLite file, which other processes of the host may share. Concurrent adds share a commit. SQLite runs in this
 * process, so a file system that hangs blocks it. A missing file has no migrations.
 *
 * @throws {RangeError} if an option is out of its range.
 */
export function sqliteStorage(options: SqliteOptions): Storage & Pick<Required<Storage>, 'export'> {
  if (options.path === '') throw new RangeError('path is empty; give the path of the SQLite file');
  // SQLite would take some relative paths for a URI or a database in memory.
  const path = resolve(options.path);
  const limits = parseLimits(groupCommitLimits, { ...options, maxWrites: 1 });
  return sqlStorage((_, access) => openSqliteDatabase(path, access), { ...limits, ...completeCallbacks(options) });
}
