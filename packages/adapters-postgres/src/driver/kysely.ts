import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Connections } from './connections.ts';

/**
 * The connections as Kysely's PostgresDriver sees them. The driver releases every connection as a good one, whatever
 * happened on it; `pool.query` would drop one for every SQL error. Such a pool is less code than such a driver:
 * transactions and all the rest stay Kysely's.
 */
export function kyselyPool(connections: Connections): PostgresPool {
  return {
    // Kysely would connect with these to cancel statements; this adapter cancels without them.
    options: {},
    async connect() {
      const { session, release } = await connections.acquire();
      const query = (text: string, values: readonly unknown[]) =>
        session.use((client) => client.query(text, [...values]));
      // Kysely's type has a form for cursors as well, which only streaming needs.
      return { query: query as unknown as PostgresPoolClient['query'], release };
    },
    end: () => connections.end(),
  };
}
