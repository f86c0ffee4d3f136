import type { ServerOptions } from '@plant-store/store-kit';

/** Where plants are kept, and the limits within which they are. Times are whole milliseconds. */
export interface PostgresOptions extends ServerOptions {
  /**
   * `postgres://user:password@host:port/database`, special characters percent-encoded. What it leaves out comes from
   * the environment variables of libpq (`PGHOST` and so on). It has one host: where several servers replicate one another,
   * that of a proxy or a virtual address which leads to the primary.
   *
   * `?sslmode=verify-full` encrypts and checks the server's certificate, against `&sslrootcert=<file>` if that is given;
   * `sslmode=no-verify` encrypts only. `require`, `prefer` and `verify-ca` mean `verify-full`, unless
   * `&uselibpqcompat=true` gives them libpq's weaker meaning. Without any of these, and without `PGSSLMODE`, the connection
   * is not encrypted. `?prepare=false` suits a pooler that gives each transaction another connection and does not track
   * prepared statements (PgBouncer before 1.21). A parameter that is unknown, empty or given twice is refused.
   */
  readonly connectionString: string;
}
