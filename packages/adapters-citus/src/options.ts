import type { PostgresOptions } from '@plant-store/adapters-postgres';

/** As of PostgreSQL, but for this. */
export interface CitusOptions extends PostgresOptions {
  /** `citus://user:password@host:port/database` of the coordinator; otherwise as of PostgreSQL. */
  readonly connectionString: string;
}
