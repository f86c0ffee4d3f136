import { type DialectAdapter, Kysely, PostgresAdapter, PostgresDialect } from 'kysely';
import type { CompleteOptions } from '../options.ts';
import type { Schema } from '../schema.ts';
import { openHosts } from './hosts.ts';
import { kyselyPool } from './kysely-pool.ts';
import type { PreparedStatements } from './prepared-statements.ts';

/**
 * The database, not yet connected. Destroying it closes its connections.
 *
 * @param statements runs statements with parameters as prepared ones; without it, none is prepared.
 * @throws {Error} when the connection string cannot be used.
 */
export function openDatabase(options: CompleteOptions, statements?: PreparedStatements): Kysely<Schema> {
  return new Kysely({ dialect: new Dialect({ pool: kyselyPool(openHosts(options), statements) }) });
}

class Dialect extends PostgresDialect {
  override createAdapter(): DialectAdapter {
    return new Adapter();
  }
}

/**
 * Kysely locks migrations for a session. Behind PgBouncer in transaction mode the lock and the unlock may reach
 * different sessions, and the lock stays for ever. `migrations.ts` takes one for the transaction instead.
 */
class Adapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}
