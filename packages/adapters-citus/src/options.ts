import type { PostgresOptions } from '@plant-store/adapters-postgres';
import {
  type CompleteOptions as CompletePostgresOptions,
  completeOptions as completePostgresOptions,
} from '@plant-store/adapters-postgres/driver';
import { asPostgres, parseCitusUrl } from './connection-string.ts';

/** As of PostgreSQL, but for these. */
export interface CitusOptions extends PostgresOptions {
  /**
   * `citus://user:password@host:port/database` of the coordinator; otherwise as of PostgreSQL. A coordinator with standbys is
   * `citus://user:password@a,b/database`.
   */
  readonly connectionString: string;

  /** To each node; 1 by default: of the plants of a larger batch more belong to one shard, and the node plans fewer statements. */
  readonly maxWrites?: number;

  /** For all nodes together, but never below 9 for each; as many again while the table is not distributed. */
  readonly poolSize?: number;
}

/** The options with every default filled in, and a connection string that pg knows. */
export interface CompleteOptions extends CompletePostgresOptions {
  readonly maxWritesPerNode: number;
}

/**
 * Fills in the defaults.
 *
 * @throws {RangeError} when an option is out of its range.
 * @throws {Error} when the connection string cannot be used.
 */
export function completeOptions(options: CitusOptions): CompleteOptions {
  return { ...completePostgresOptions(postgresOptions(options)), maxWritesPerNode: options.maxWrites ?? 1 };
}

/** The options with a connection string that pg knows. @throws {Error} when it cannot be used. */
export function postgresOptions(options: CitusOptions): PostgresOptions {
  parseCitusUrl(options.connectionString);
  return { ...options, connectionString: asPostgres(options.connectionString) };
}
