import type { ServerOptions } from '@plant-store/sql-store';

export {
  type CompleteServerOptions as CompleteOptions,
  completeServerOptions as completeOptions,
} from '@plant-store/sql-store';

/** Where plants are kept, and the limits within which they are. Times are whole milliseconds. */
export interface PostgresOptions extends ServerOptions {
  /**
   * `postgres://user:password@host:port/database`, special characters percent-encoded. What it leaves out comes from
   * the environment variables of libpq (`PGHOST` and so on). Where several servers replicate one another and no proxy
   * knows which of them is the primary: `postgres://user:password@a:5432,b:5432/database`; standbys are passed over.
   *
   * TLS is asked for here as well: `?sslmode=verify-full` encrypts and checks the server's certificate, against
   * `&sslrootcert=<file>` if that is given; `sslmode=no-verify` encrypts only. `require`, `prefer` and `verify-ca` mean
   * `verify-full`, unless `&uselibpqcompat=true` gives them libpq's weaker meaning. Without any of these, and without
   * `PGSSLMODE`, the connection is not encrypted. A parameter that is unknown, empty or given twice is refused.
   */
  readonly connectionString: string;

  /** As of every store, unless the URL has a `query_timeout`. */
  readonly dropAfterMs?: number;
}
