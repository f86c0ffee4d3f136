import type { StoreObserver } from '@plant-store/domain';
import {
  assertInRange,
  type CompleteLimits,
  completeLimits,
  type GroupCommitLimits,
  unobserved,
} from '@plant-store/group-commit';

/** What a store on a database server takes besides its connection string. Times are whole milliseconds. */
export interface ServerOptions extends GroupCommitLimits {
  /** The most connections that are open at once, from 1 upwards. {@link DEFAULT_POOL_SIZE} by default. */
  readonly poolSize?: number;

  /**
   * The longest wait for a connection, be it a new one or one that others are using. From 1 upwards;
   * {@link DEFAULT_CONNECT_WITHIN_MS} by default.
   */
  readonly connectWithinMs?: number;

  /**
   * How long a statement may run before its connection counts as lost. From 1 upwards; {@link DEFAULT_DROP_AFTER_MS} by
   * default.
   */
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
export type CompleteServerOptions = CompleteLimits & Required<Omit<ServerOptions, keyof GroupCommitLimits>>;

/**
 * 10: more than enough for a server that syncs commits together, few enough for nine instances on PostgreSQL's default of
 * 100 connections, of which three are reserved.
 */
const DEFAULT_POOL_SIZE = 10;

/** 1.5 s: many times what connecting takes, and it leaves time to store the plant within the timeout of 2 s. */
const DEFAULT_CONNECT_WITHIN_MS = 1_500;

/**
 * 30 s: a connection whose statement is late is kept, since its session on the server would stay in any case, and a new
 * one would add another. A server that has not responded for 30 s counts as gone.
 */
const DEFAULT_DROP_AFTER_MS = 30_000;

/**
 * 30 s: many times what migrating takes today, and half of what deploy/kubernetes allows a start. An instance that gives
 * up is started again and waits again, so a migration that takes longer is not disturbed.
 */
const DEFAULT_MIGRATION_LOCK_TIMEOUT_MS = 30_000;

/**
 * Fills in the defaults.
 * @throws {RangeError} when an option is out of its range.
 */
export function completeServerOptions(options: ServerOptions): CompleteServerOptions {
  const { onError = () => {}, onWarning = () => {}, observer = unobserved } = options;
  return {
    ...completeLimits(options),
    ...assertInRange({
      poolSize: options.poolSize ?? DEFAULT_POOL_SIZE,
      connectWithinMs: options.connectWithinMs ?? DEFAULT_CONNECT_WITHIN_MS,
      dropAfterMs: options.dropAfterMs ?? DEFAULT_DROP_AFTER_MS,
      migrationLockTimeoutMs: options.migrationLockTimeoutMs ?? DEFAULT_MIGRATION_LOCK_TIMEOUT_MS,
    }),
    onError,
    onWarning,
    observer,
  };
}
