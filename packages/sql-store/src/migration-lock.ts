import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import type { Dialect } from 'kysely';
import type { CompleteServerOptions } from './options.ts';

/** A server's lock that lets one process migrate a database at a time, tried again and again until it is free. */
export interface PolledLock {
  /** Takes it if it is free, and says whether it did. */
  tryAcquire(): Promise<boolean>;
  /** Who holds it, for the operator. Names that others chose go through {@link asciiQuoted}. */
  holder(): Promise<string>;
  /** The statement or function that ends a session of the server. */
  readonly endSessionWith: string;
}

/**
 * Acquires the lock. Nobody waits for one in silence: after {@link SAY_AFTER_MS} `onWarning` is told who holds it.
 *
 * @throws {StoreUnavailable} when it is not free within `migrationLockTimeoutMs`, with who holds it.
 */
export async function acquireMigrationLock(
  { tryAcquire, holder, endSessionWith }: PolledLock,
  { migrationLockTimeoutMs, onWarning }: Pick<CompleteServerOptions, 'migrationLockTimeoutMs' | 'onWarning'>,
): Promise<void> {
  const startedAt = performance.now();
  const sayAfterMs = Math.min(SAY_AFTER_MS, migrationLockTimeoutMs);
  for (let said = false; !(await tryAcquire()); await sleep(POLL_MS)) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs >= migrationLockTimeoutMs)
      throw new StoreUnavailable(
        `the migration lock was not free within ${migrationLockTimeoutMs} ms: ${await holder()}. Wait for it if it is migrating, otherwise end it with ${endSessionWith}`,
      );
    if (said || waitedMs < sayAfterMs) continue;
    said = true;
    onWarning(`waiting for the migration lock, up to ${migrationLockTimeoutMs} ms: ${await holder()}`);
  }
}

/** 1 s: migrating an empty database takes a tenth of that, and a person begins to wonder. */
const SAY_AFTER_MS = 1_000;

/** 50 ms: twenty cheap statements a second, and a start loses no time that anybody notices. */
const POLL_MS = 50;

/** A name as JSON in ASCII: whoever holds the lock chose it, and it goes to logs and terminals. */
export function asciiQuoted(name: string): string {
  return JSON.stringify(name).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

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
