import { type StoreObserver, unobserved } from '@plant-store/group-commit';

/** Where plants are kept, and the limits within which they are. Times are whole milliseconds. */
export interface PostgresOptions {
  /**
   * `postgres://user:password@host:port/database`, special characters percent-encoded. What it leaves out comes from
   * the environment variables of libpq (`PGHOST` and so on). Where several servers replicate one another and no proxy
   * knows which of them is the primary: `postgres://user:password@a:5432,b:5432/database`; standbys are passed over.
   *
   * TLS is asked for here as well: `?sslmode=verify-full` encrypts and checks the server's certificate, against
   * `&sslrootcert=<file>` if that is given; `sslmode=no-verify` encrypts only. `require`, `prefer` and `verify-ca` mean
   * `verify-full`, unless `&uselibpqcompat=true` gives them libpq's weaker meaning.
   */
  readonly connectionString: string;

  /** The most connections that are open at once, from 1 upwards. {@link DEFAULT_POOL_SIZE} by default. */
  readonly poolSize?: number;

  /**
   * The longest time until an add, a check or a migration status is answered or throws, everything included. From 1
   * upwards; {@link DEFAULT_ANSWER_WITHIN_MS} by default.
   */
  readonly timeoutMs?: number;

  /**
   * The longest time until a connection is there, be it a new one or one that others are using. From 1 upwards;
   * {@link DEFAULT_CONNECT_WITHIN_MS} by default.
   */
  readonly connectWithinMs?: number;

  /**
   * How long a connection is kept whose statement is still running although its add was answered long ago. From 1
   * upwards; {@link DEFAULT_DROP_AFTER_MS} by default.
   */
  readonly dropAfterMs?: number;

  /** The most plants that are stored with one statement, from 1 upwards. {@link DEFAULT_MAX_BATCH} by default. */
  readonly maxBatch?: number;

  /**
   * The most adds that wait for a statement, from 1 upwards; those beyond throw {@link StoreUnavailable} at once.
   * {@link DEFAULT_MAX_WAITING} by default.
   */
  readonly maxWaiting?: number;

  /**
   * How long an add may have to wait for those before it, beyond what a write takes in any case; where it would be
   * longer, it throws {@link StoreOverloaded} at once. From 1 upwards; {@link DEFAULT_MAX_WAIT_MS} by default.
   */
  readonly maxWaitMs?: number;

  /** The most statements that store plants at once, from 1 upwards. {@link DEFAULT_MAX_WRITES} by default. */
  readonly maxWrites?: number;

  /** Told of failures that no add or check is there to throw: an idle connection was lost. By default nobody is. */
  readonly onError?: (error: Error) => void;

  /** Told of what the store does, for metrics. By default nobody is. */
  readonly observer?: StoreObserver;
}

/** The options with every default filled in. */
export type CompleteOptions = Required<PostgresOptions>;

/** 10: more than keep a server busy that syncs commits together, few enough for ten instances on 100 connections. */
const DEFAULT_POOL_SIZE = 10;

/** 2 s: a commit takes milliseconds, so after that a caller is better served by an answer to come back. */
export const DEFAULT_ANSWER_WITHIN_MS = 2_000;

/** 1.5 s: many times what connecting takes, and it leaves time to store the plant within the 2 s of an answer. */
const DEFAULT_CONNECT_WITHIN_MS = 1_500;

/**
 * 30 s: a connection whose statement is late is kept, since its backend on the server would stay in any case, and
 * another one beside it would be one too many. A server that has not answered for 30 s is taken to be gone.
 */
const DEFAULT_DROP_AFTER_MS = 30_000;

/** 500: beyond that a plant costs no less, and each caller waits for more neighbours. */
const DEFAULT_MAX_BATCH = 500;

/** 2,000, four batches: what would stand behind them is better told at once to come back. */
const DEFAULT_MAX_WAITING = 2_000;

/** 200 ms: whoever waits does not notice much, and a queue that lasts longer does not get shorter by itself. */
const DEFAULT_MAX_WAIT_MS = 200;

/** 2: one is prepared here while the other is committed there. */
const DEFAULT_MAX_WRITES = 2;

/**
 * Fills in the defaults.
 * @throws {RangeError} when an option is out of its range.
 */
export function completeOptions(options: PostgresOptions): CompleteOptions {
  const limits = {
    poolSize: options.poolSize ?? DEFAULT_POOL_SIZE,
    timeoutMs: options.timeoutMs ?? DEFAULT_ANSWER_WITHIN_MS,
    connectWithinMs: options.connectWithinMs ?? DEFAULT_CONNECT_WITHIN_MS,
    dropAfterMs: options.dropAfterMs ?? DEFAULT_DROP_AFTER_MS,
    maxBatch: options.maxBatch ?? DEFAULT_MAX_BATCH,
    maxWaiting: options.maxWaiting ?? DEFAULT_MAX_WAITING,
    maxWaitMs: options.maxWaitMs ?? DEFAULT_MAX_WAIT_MS,
    maxWrites: options.maxWrites ?? DEFAULT_MAX_WRITES,
  };
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isInteger(value) || value < 1 || value > MAX_TIMER_MS)
      throw new RangeError(`${name} is ${value}; give a whole number from 1 to ${MAX_TIMER_MS}`);
  }
  const { connectionString, onError = () => {}, observer = unobserved } = options;
  return { connectionString, ...limits, onError, observer };
}

/** Node's timers take no more than that, 24 days, and fire at once for anything longer. */
const MAX_TIMER_MS = 2 ** 31 - 1;
