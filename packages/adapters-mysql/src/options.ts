import type { StoreObserver } from '@plant-store/domain';
import {
  assertInRange,
  type CompleteLimits,
  completeLimits,
  type GroupCommitLimits,
  unobserved,
} from '@plant-store/group-commit';

/** Where plants are kept, and the limits within which they are. Times are whole milliseconds. */
export interface MysqlOptions extends GroupCommitLimits {
  /**
   * `mysql://user:password@host:port/database`, special characters percent-encoded; `mariadb:` means the same. The port
   * is 3306 by default. Where several servers replicate one another: `mysql://user:password@a:3306,b:3306/database`;
   * read-only servers, and nodes of a Galera cluster that cannot write, are passed over.
   *
   * TLS has MySQL's own names: `?ssl-mode=VERIFY_IDENTITY` encrypts and checks the server's certificate and its name,
   * against `&ssl-ca=<file>` if that is given; an address has no name to check. `VERIFY_CA` does not check it, `REQUIRED`
   * encrypts only. `ssl-cert`
   * and `ssl-key` are the client's. Without `ssl-mode` the connection is not encrypted. A parameter that is unknown, empty
   * or given twice is refused.
   */
  readonly connectionString: string;

  /** The most connections that are open at once, from 1 upwards. {@link DEFAULT_POOL_SIZE} by default. */
  readonly poolSize?: number;

  /**
   * The longest wait for a connection, be it a new one or one that others are using. From 1 upwards;
   * {@link DEFAULT_CONNECT_WITHIN_MS} by default.
   */
  readonly connectWithinMs?: number;

  /** How long a statement may run before its connection counts as lost. From 1 upwards; {@link DEFAULT_DROP_AFTER_MS}. */
  readonly dropAfterMs?: number;

  /**
   * How long a migration waits for another session that holds the migration lock. From 1 upwards;
   * {@link DEFAULT_MIGRATION_LOCK_TIMEOUT_MS} by default.
   */
  readonly migrationLockTimeoutMs?: number;

  /** Called for failures outside of any add or check, such as a lost idle connection. Does nothing by default. */
  readonly onError?: (error: Error) => void;

  /** Called with what an operator should know although nothing has failed. Does nothing by default. */
  readonly onWarning?: (message: string) => void;

  /** Notified of what the store does, for metrics. None by default. */
  readonly observer?: StoreObserver;
}

/** The options with every default filled in. */
export type CompleteOptions = CompleteLimits & Required<Omit<MysqlOptions, keyof GroupCommitLimits>>;

/** 10: more than enough for a server that syncs commits together, few enough for ten instances on 151 connections. */
const DEFAULT_POOL_SIZE = 10;

/** 1.5 s: many times what connecting takes, and it leaves time to store the plant within the timeout of 2 s. */
const DEFAULT_CONNECT_WITHIN_MS = 1_500;

/** 30 s: a server that has not responded for that long counts as gone; until then a new connection would be one more. */
const DEFAULT_DROP_AFTER_MS = 30_000;

/** 30 s: many times what migrating takes, and half of what deploy/kubernetes allows a start. */
const DEFAULT_MIGRATION_LOCK_TIMEOUT_MS = 30_000;

/**
 * Fills in the defaults.
 * @throws {RangeError} when an option is out of its range.
 */
export function completeOptions(options: MysqlOptions): CompleteOptions {
  const { connectionString, onError = () => {}, onWarning = () => {}, observer = unobserved } = options;
  return {
    ...completeLimits(options),
    ...assertInRange({
      poolSize: options.poolSize ?? DEFAULT_POOL_SIZE,
      connectWithinMs: options.connectWithinMs ?? DEFAULT_CONNECT_WITHIN_MS,
      dropAfterMs: options.dropAfterMs ?? DEFAULT_DROP_AFTER_MS,
      migrationLockTimeoutMs: options.migrationLockTimeoutMs ?? DEFAULT_MIGRATION_LOCK_TIMEOUT_MS,
    }),
    connectionString,
    onError,
    onWarning,
    observer,
  };
}
