import { completeOptions, type ServerOptions, type SharedStorage } from '@plant-store/store-kit';
import { sqlStorage } from '@plant-store/store-kit/sql';
import { openMysqlDatabase } from './database.ts';

/** The options of a store on MySQL or MariaDB. Times are whole milliseconds. */
export interface MysqlOptions extends ServerOptions {
  /**
   * `mysql://user:password@host:port/database`, with special characters percent-encoded. `mariadb:` is an alias. The default port
   * is 3306. It has one host. For replicated servers that is a proxy or a virtual address that leads to the primary.
   *
   * The TLS parameters are MySQL's. `?ssl-mode=VERIFY_IDENTITY` encrypts and checks the server's certificate and its host name,
   * with the authorities of `&ssl-ca=<file>` if given. It needs a host name. `VERIFY_CA` does not check the name, and `REQUIRED`
   * only encrypts. `ssl-cert` and `ssl-key` are the client's. Without `ssl-mode` the connection is not encrypted. Unknown, empty
   * and repeated parameters are rejected.
   */
  readonly connectionString: string;
}

/**
 * The storage on MariaDB, 10.11 or newer, or MySQL, 8.0 or newer, which several processes may share. Concurrent adds share a commit.
 *
 * @throws {RangeError} if an option is out of its range.
 */
export function mysqlStorage(options: MysqlOptions): SharedStorage {
  const completed = completeOptions(options);
  return sqlStorage((timeoutMs) => openMysqlDatabase(completed, timeoutMs), completed);
}
