import type { StoreObserver } from '@plant-store/domain';
import {
  assertInRange,
  type CompleteLimits,
  completeLimits,
  type GroupCommitLimits,
  unobserved,
} from '@plant-store/group-commit';

/** Where plants are kept, and the limits within which they are. Times are whole milliseconds. */
export interface PostgresOptions extends GroupCommitLimits {
  /**
   * `postgres://user:password@host:port/database`, special characters percent-encoded. What it leaves out comes from
   * the environment variables of libpq (`PGHOST` and so on). Where several servers replicate one another and no proxy
   * knows which of them is the primary: `postgres://user:password@a:5432,b:5432/database`; standbys are passed over.
   *
   * TLS is asked for here as well: `?sslmode=verify-full` encrypts and checks the server's certificate, against
   * `&sslrootcert=<file>` if that is given; `sslmode=no-verify` encrypts only. `require`, `prefer` and `verify-ca` mean
   * `verify-full`, unless `&uselibpqcompat=true` gives them libpq's weaker meaning. Without any of these, and without
   * `PGSSLMODE`, the connection is not encrypted. A parameter that is unknown, empty or given twice is refused.
   *
   * `citus_route=nodes` stores the plants of a Citus cluster on connections to its nodes, by the names and ports that the
   * coordinator's catalog has and with all else that this string says, instead of through the coordinator.
   */
  readonly connectionString: string;

  /** As of every store; 1 by default to each node of a Citus cluster, for which a batch is one statement a shard. */
  readonly maxWrites?: number;

  /** The most connections that are open at once, from 1 upwards. {@link DEFAULT_POOL_SIZE} by default. */
  readonly poolSize?: number;

  /**
   * The longest wait for a connection, be it a new one or one that others are using. From 1 upwards;
   * {@link DEFAULT_CONNECT_WITHIN_MS} by default.
   */
  readonly connectWithinMs?: number;

  /**
   * How long a statement may run before its connection counts as lost, unless the URL has a `query_timeout`. From 1
   * upwards; {@link DEFAULT_DROP_AFTER_MS} by default.
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
export type CompleteOptions = CompleteLimits &
  Required<Omit<PostgresOptions, keyof GroupCommitLimits>> & {
    /** `maxWrites` of each node of a Citus cluster. */
    readonly maxWritesPerNode: number;
  };

/** 1: of the plants of a larger batch more belong to one shard, and the node plans fewer statements. */
const DEFAULT_MAX_WRITES_PER_NODE = 1;

/** 10: more than enough for a server that syncs commits together, few enough for ten instances on 100 connections. */
const DEFAULT_POOL_SIZE = 10;

/** 1.5 s: many times what connecting takes, and it leaves time to store the plant within the timeout of 2 s. */
const DEFAULT_CONNECT_WITHIN_MS = 1_500;

/**
 * 30 s: a connection whose statement is late is kept, since its backend on the server would stay in any case, and a new
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
export function completeOptions(options: PostgresOptions): CompleteOptions {
  const { connectionString, onError = () => {}, onWarning = () => {}, observer = unobserved } = options;
  return {
    ...completeLimits(options),
    maxWritesPerNode: options.maxWrites ?? DEFAULT_MAX_WRITES_PER_NODE,
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
