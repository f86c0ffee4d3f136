import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import type { Dialect, Kysely, RawBuilder } from 'kysely';
import type { CompleteServerOptions } from '../options.ts';
import type { Database } from './database.ts';
import { type SessionRow, sessionIn } from './other-session.ts';

/** A server's lock that lets one process migrate a database at a time, tried again and again until it is free. */
export interface MigrationLock {
  /** Takes it if it is free, and says whether it did. */
  readonly take: RawBuilder<{ readonly taken: unknown }>;
  readonly holder: RawBuilder<SessionRow>;
  /** The statement or function that ends a session of the server. */
  readonly endSessionWith: string;
}

/**
 * Acquires the lock. Nobody waits for one in silence: after {@link SAY_AFTER_MS} `onWarning` is told who holds it.
 *
 * @throws {StoreUnavailable} when it is not free within `migrationLockTimeoutMs`, with who holds it.
 */
export async function acquireMigrationLock(
  db: Kysely<Database>,
  { take, holder, endSessionWith }: MigrationLock,
  { migrationLockTimeoutMs, onWarning }: Pick<CompleteServerOptions, 'migrationLockTimeoutMs' | 'onWarning'>,
): Promise<void> {
  const startedAt = performance.now();
  const sayAfterMs = Math.min(SAY_AFTER_MS, migrationLockTimeoutMs);
  const isTaken = async () => Number((await take.execute(db)).rows[0]?.taken) === 1;
  const who = async () => {
    const found = sessionIn((await holder.execute(db)).rows[0]);
    return found === undefined ? 'its holder is unknown' : `held by ${found}`;
  };
  for (let said = false; !(await isTaken()); await sleep(POLL_MS)) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs >= migrationLockTimeoutMs)
      throw new StoreUnavailable(
        `the migration lock was not free within ${migrationLockTimeoutMs} ms: ${await who()}. Wait for it if it is migrating, otherwise end it with ${endSessionWith}`,
      );
    if (said || waitedMs < sayAfterMs) continue;
    said = true;
    onWarning(`waiting for the migration lock, up to ${migrationLockTimeoutMs} ms: ${await who()}`);
  }
}

/** 1 s: migrating an empty database takes a tenth of that, and a person begins to wonder. */
const SAY_AFTER_MS = 1_000;

/** 50 ms: twenty cheap statements a second, and a start loses no time that anybody notices. */
const POLL_MS = 50;

/**
 * Kysely on a dialect without Kysely's own lock of migrations: PostgreSQL's is a session's, which a pooler may leave locked
 * for ever, and MySQL's has one name for all databases of a server and is waited for for an hour, in silence.
 */
export function withoutMigrationLock(dialect: Dialect): Dialect {
  const nothing = async () => {};
  return {
    createDriver: () => dialect.createDriver(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createAdapter: () =>
      Object.assign(dialect.createAdapter(), { acquireMigrationLock: nothing, releaseMigrationLock: nothing }),
  };
}
