import { type ConnectionString, parseConnectionString } from '@plant-store/adapters-postgres/connection-string';
import type { CitusOptions } from './options.ts';

/** The same connection string for pg, which knows no `citus://`. */
export function asPostgres(text: string): string {
  return text.replace(/^citus:/, 'postgres:');
}

/**
 * Reads `citus://…` as {@link parseConnectionString} reads `postgres://…`.
 *
 * @throws {Error} that says what was expected, and repeats nothing of the connection string.
 */
export function parseCitusUrl(text: string): ConnectionString {
  try {
    return parseConnectionString(asPostgres(text));
  } catch (error) {
    throw new Error((error as Error).message.replace('postgres://', 'citus://'), { cause: error });
  }
}

/** The options with a connection string that pg knows. @throws {Error} when it cannot be used. */
export function postgresOptions<Options extends CitusOptions>(options: Options): Options {
  parseCitusUrl(options.connectionString);
  return { ...options, connectionString: asPostgres(options.connectionString) };
}
