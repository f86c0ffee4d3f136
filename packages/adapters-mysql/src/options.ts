import type { ServerOptions } from '@plant-store/sql-store';

export {
  type CompleteServerOptions as CompleteOptions,
  completeServerOptions as completeOptions,
} from '@plant-store/sql-store';

/** Where plants are kept, and the limits within which they are. Times are whole milliseconds. */
export interface MysqlOptions extends ServerOptions {
  /**
   * `mysql://user:password@host:port/database`, special characters percent-encoded; `mariadb:` means the same. The port
   * is 3306 by default. Where several servers replicate one another: `mysql://user:password@a:3306,b:3306/database`;
   * read-only servers, and nodes of a Galera cluster that cannot write, are passed over.
   *
   * TLS has MySQL's own names: `?ssl-mode=VERIFY_IDENTITY` encrypts and checks the server's certificate and its name,
   * against `&ssl-ca=<file>` if that is given; an address has no name to check. `VERIFY_CA` does not check it, `REQUIRED`
   * encrypts only. `ssl-cert`
   * and `ssl-key` are the client's. Without `ssl-mode` the connection is not encrypted. A parameter that is unknown, empty
   * or given twice is refused.
   */
  readonly connectionString: string;
}
