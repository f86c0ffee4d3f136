import { type CompleteOptions, openKysely } from '@plant-store/adapters-postgres/driver';
import { unobserved } from '@plant-store/sql-store';
import { sql } from 'kysely';

/**
 * Asks each node of a Citus cluster whether its commits are durable: they are the node's own, with the node's
 * `synchronous_commit`. On a connection of its own, since it hangs while a node does.
 *
 * @returns by node, as `host:port`; without those that cannot be reached.
 * @throws {StoreUnavailable} when the database cannot be reached; what PostgreSQL reports comes as it is.
 */
export async function readDurability(options: CompleteOptions): Promise<ReadonlyMap<string, boolean>> {
  const db = openKysely({ ...options, poolSize: 1, observer: unobserved });
  try {
    const { rows } = await sql<{ node: string; value: string }>`
      select nodename || ':' || nodeport as node, result as value
      from run_command_on_workers('show synchronous_commit') where success`.execute(db);
    return new Map(rows.map(({ node, value }) => [node, value !== 'off']));
  } finally {
    await db.destroy();
  }
}
