import { completeServerOptions, type Storage } from '@plant-store/store-kit';
import { sqlStorage } from '@plant-store/store-kit/sql';
import { openMysqlDatabase } from './mysql-database.ts';
import type { MysqlOptions } from './options.ts';

/**
 * The storage on MariaDB, 10.11 or newer, or MySQL, 8.0 or newer, which several processes may share. Concurrent adds share a commit.
 *
 * @throws {RangeError} if an option is out of its range.
 */
export function mysqlStorage(options: MysqlOptions): Storage & Pick<Required<Storage>, 'export'> {
  const complete = completeServerOptions(options);
  return sqlStorage((timeoutMs) => openMysqlDatabase(complete, timeoutMs), complete);
}
