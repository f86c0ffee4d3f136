import type { ServerOptions } from '@plant-store/store-kit';

/** Where plants are kept, and the limits within which they are. Times are whole milliseconds. */
export interface MysqlOptions extends ServerOptions {
  /**
   * `mysql://user:password@host:port/database`, special characters percent-encoded; `mariadb:` means the same. The port
   * is 3306 by default. It has one host: where several servers replicate one another, that of a proxy or a virtual address
   * which leads to the one that writes.
   *
   * TLS has MySQL's own names: `?ssl-mode=VERIFY_IDENTITY` encrypts and checks the server's certificate and its name,
   * against `&ssl-ca=<file>` if that is given; an address has no name to check. `VERIFY_CA` does not check the name,
   * `REQUIRED` encrypts only. `ssl-cert` and `ssl-key` are the client's. Without `ssl-mode` the connection is not encrypted.
   * A parameter that is unknown, empty or given twice is refused.
   */
  readonly connectionString: string;
}
