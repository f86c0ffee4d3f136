import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { MigrationLock } from './driver/kysely.ts';
import type { CompleteOptions } from './options.ts';
import type { Schema } from './schema.ts';

/**
 * The lock that lets one process migrate a database at a time: a named lock of the server (`GET_LOCK`), which any user
 * may take, so nobody waits for one in silence: after {@link SAY_AFTER_MS} `onWarning` is told who holds it. Each node of
 * a Galera cluster has its own.
 *
 * Acquiring throws {@link StoreUnavailable} when it is not free within `migrationLockTimeoutMs`, with who holds it.
 */
export function migrationLock({
  migrationLockTimeoutMs,
  onWarning,
}: Pick<CompleteOptions, 'migrationLockTimeoutMs' | 'onWarning'>): MigrationLock {
  return {
    async acquire(db) {
      const startedAt = performance.now();
      const sayAfterMs = Math.min(SAY_AFTER_MS, migrationLockTimeoutMs);
      for (let said = false; !(await isTaken(db)); await sleep(POLL_MS)) {
        const waitedMs = performance.now() - startedAt;
        if (waitedMs >= migrationLockTimeoutMs)
          throw new StoreUnavailable(
            `the migration lock was not free within ${migrationLockTimeoutMs} ms: ${await holder(db)}. Wait for it if it is migrating, otherwise end it with KILL`,
          );
        if (said || waitedMs < sayAfterMs) continue;
        said = true;
        onWarning(`waiting for the migration lock, up to ${migrationLockTimeoutMs} ms: ${await holder(db)}`);
      }
    },
    release: async (db) => void (await sql`select release_lock(${name})`.execute(db)),
  };
}

/** 1 s: migrating an empty database takes a tenth of that, and a person begins to wonder. */
const SAY_AFTER_MS = 1_000;

/** 50 ms: twenty cheap statements a second, and a start loses no time that anybody notices. */
const POLL_MS = 50;

/** Names of locks are the server's, not the database's, and have at most 64 characters. */
const name: RawBuilder<string> = sql`sha2(concat('plant-store migrations ', database()), 224)`;

async function isTaken(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ taken: unknown }>`select get_lock(${name}, 0) as taken`.execute(db);
  return Number(rows[0]?.taken) === 1;
}

/** Who holds the lock. Only a user with the privilege PROCESS sees the connections of others. */
async function holder(db: Kysely<Schema>): Promise<string> {
  const { rows } = await sql<{ id: unknown; user: string | null }>`
    select held.id as id, process.user as user
    from (select is_used_lock(${name}) as id) as held
    left join information_schema.processlist as process on process.id = held.id`.execute(db);
  const [first] = rows;
  if (first?.id == null) return 'its holder is unknown';
  // As JSON: whoever holds the lock chose the name, and it goes to logs and terminals.
  return `held by connection ${first.id}${first.user === null ? '' : `, user ${JSON.stringify(first.user)}`}`;
}
