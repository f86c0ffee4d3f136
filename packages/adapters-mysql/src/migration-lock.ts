import { acquireMigrationLock, asciiQuoted, type Tables } from '@plant-store/sql-store';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { CompleteOptions } from './options.ts';

/**
 * Runs work while no other process migrates the database: under a named lock of the server (`GET_LOCK`), which any user may
 * take. Each node of a Galera cluster has its own.
 *
 * @param work gets the connection that holds the lock.
 * @throws what {@link acquireMigrationLock} throws.
 */
export function underMigrationLock(
  db: Kysely<Tables>,
  options: Pick<CompleteOptions, 'migrationLockTimeoutMs' | 'onWarning'>,
  work: (db: Kysely<Tables>) => Promise<void>,
): Promise<void> {
  return db.connection().execute(async (connection) => {
    const lock = {
      tryAcquire: () => tryAcquire(connection),
      holder: () => holder(connection),
      endSessionWith: 'KILL',
    };
    await acquireMigrationLock(lock, options);
    try {
      await work(connection);
    } finally {
      await sql`select release_lock(${name})`.execute(connection);
    }
  });
}

/** Names of locks are the server's, not the database's, and have at most 64 characters. */
const name: RawBuilder<string> = sql`sha2(concat('plant-store migrations ', database()), 224)`;

async function tryAcquire(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ taken: unknown }>`select get_lock(${name}, 0) as taken`.execute(db);
  return Number(rows[0]?.taken) === 1;
}

/** Who holds the lock. Only a user with the privilege PROCESS sees the connections of others. */
async function holder(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ id: unknown; user: string | null }>`
    select held.id as id, process.user as user
    from (select is_used_lock(${name}) as id) as held
    left join information_schema.processlist as process on process.id = held.id`.execute(db);
  const [first] = rows;
  if (first?.id == null) return 'its holder is unknown';
  return `held by connection ${first.id}${first.user === null ? '' : `, user ${asciiQuoted(first.user)}`}`;
}
