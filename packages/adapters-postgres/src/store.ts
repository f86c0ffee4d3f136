import { completeOptions, type ServerOptions, type SharedStorage } from '@plant-store/store-kit';
import { sqlStorage } from '@plant-store/store-kit/sql';
import { openPool, postgresDatabase } from './database.ts';

/** The options of a store on PostgreSQL. Times are whole milliseconds. */
export interface PostgresOptions extends ServerOptions {
  /**
   * `postgres://user:password@host:port/database`, with special characters percent-encoded. Missing parts come from libpq's
   * environment variables, such as `PGHOST`. It has one host. For replicated servers that is a proxy or a virtual address that
   * leads to the primary.
   *
   * `?sslmode=verify-full` encrypts and checks the server's certificate, with the authorities of `&sslrootcert=<file>` if given.
   * `sslmode=no-verify` only encrypts. `require`, `prefer` and `verify-ca` mean `verify-full`, unless `&uselibpqcompat=true` gives
   * them libpq's weaker meaning. Without any of these and without `PGSSLMODE` the connection is not encrypted. `?prepare=false` is
   * for a pooler in transaction mode that does not track prepared statements (PgBouncer before 1.21). Unknown, empty and
   * repeated parameters are rejected.
   */
  readonly connectionString: string;
}

/** The storage on a PostgreSQL database, 15 or newer, which several processes may share. Concurrent adds share a commit. */
export function postgresStorage(options: PostgresOptions): SharedStorage {
  const completed = completeOptions(options);
  return sqlStorage((timeoutMs) => postgresDatabase(openPool(completed, timeoutMs), completed), completed);
}
