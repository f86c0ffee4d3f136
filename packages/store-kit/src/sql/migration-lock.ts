import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import type { Dialect, Kysely, RawBuilder } from 'kysely';
import type { CompleteServerOptions } from '../options.ts';
import type { Database } from '../rows.ts';
import { describeSession, type SessionRow } from './lock-holder.ts';

/** A lock of the server that lets one process at a time migrate a database. */
export interface MigrationLock {
  /** Selects `acquired`, which is 1 or true if the lock was free. */
  readonly tryAcquire: RawBuilder<{ readonly acquired: unknown }>;
  readonly holder: RawBuilder<SessionRow>;
  /** The statement or function that ends a session of the server. */
  readonly endSessionWith: string;
}

/**
 * Acquires the lock. After {@link WARN_AFTER_MS} it calls `onWarning` with the holder.
 *
 * @throws {StoreUnavailable} with the holder, if the lock is not free within `migrationLockTimeoutMs`.
 */
export async function acquireMigrationLock(
  db: Kysely<Database>,
  { tryAcquire, holder, endSessionWith }: MigrationLock,
  { migrationLockTimeoutMs, onWarning }: Pick<CompleteServerOptions, 'migrationLockTimeoutMs' | 'onWarning'>,
): Promise<void> {
  const startedAt = performance.now();
  const isAcquired = async () => Number((await tryAcquire.execute(db)).rows[0]?.acquired) === 1;
  const describeHolder = async () => {
    const found = describeSession((await holder.execute(db)).rows[0]);
    return found === undefined ? 'its holder is unknown' : `held by ${found}`;
  };
  for (let isWarned = false; !(await isAcquired()); await sleep(POLL_MS)) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs >= migrationLockTimeoutMs)
      throw new StoreUnavailable(
        `the migration lock was not free within ${migrationLockTimeoutMs} ms: ${await describeHolder()}. If that session is migrating, wait; otherwise end it with ${endSessionWith}`,
      );
    if (isWarned || waitedMs < WARN_AFTER_MS) continue;
    isWarned = true;
    onWarning(`waiting for the migration lock, up to ${migrationLockTimeoutMs} ms: ${await describeHolder()}`);
  }
}

/** 1 s: ten times what migrating an empty database takes. */
const WARN_AFTER_MS = 1_000;

const POLL_MS = 50;

/**
 * Turns off Kysely's own migration lock. On PostgreSQL it belongs to a session, so a pooler may leave it locked for ever. On MySQL
 * it has one name for all databases of a server, and Kysely waits for it for an hour without a message.
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
