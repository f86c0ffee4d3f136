import type { StoreCapabilities } from '@plant-store/domain';
import {
  type GivenLimits,
  groupCommitLimits,
  type Limit,
  type LimitsOf,
  limitsOf,
  positive,
} from '@plant-store/group-commit';
import { type StoreObserver, unobserved } from './store-observer.ts';

/** Plants are committed by a server before they are answered; any number of processes may use it, and it may fail. */
export const serverCapabilities: StoreCapabilities = {
  durable: true,
  survivesCrash: true,
  survivesServerCrash: true,
  shared: true,
  external: true,
  observed: true,
  timeoutMs: groupCommitLimits.timeoutMs.default,
};

/** What every SQL store takes besides its place and its limits. */
export interface Callbacks {
  /** Called for failures outside of any add or check, such as a lost idle connection. Does nothing by default. */
  readonly onError?: (error: Error) => void;

  /** Called with what an operator should know although nothing has failed. Does nothing by default. */
  readonly onWarning?: (message: string) => void;

  /** Notified of what the store does, for metrics. None by default. */
  readonly observer?: StoreObserver;
}

/** The callbacks that somebody left out. */
export function completeCallbacks({
  onError = () => {},
  onWarning = () => {},
  observer = unobserved,
}: Callbacks): Required<Callbacks> {
  return { onError, onWarning, observer };
}

/**
 * The limits of a store on a database server. A service's settings are made of those with a meaning, a line for its operator,
 * who may set at most `settableTo`; adapters take more.
 */
export const serverLimits = {
  timeoutMs: {
    ...groupCommitLimits.timeoutMs,
    settableTo: 600_000,
    meaning: 'maximum time to store a plant, in milliseconds, after which the client gets a 503',
  },
  maxWaitMs: {
    ...groupCommitLimits.maxWaitMs,
    settableTo: 600_000,
    meaning:
      'maximum time that the oldest plant of the queue may have waited, in milliseconds; then further requests get a 503 immediately',
  },
  maxWaiting: {
    ...groupCommitLimits.maxWaiting,
    settableTo: 1_000_000,
    meaning: 'maximum queue length, in plants; requests beyond it get a 503 immediately',
  },
  maxBatch: { ...groupCommitLimits.maxBatch, settableTo: 10_000, meaning: 'maximum plants per commit' },
  maxBatchSize: groupCommitLimits.maxBatchSize,
  maxWrites: {
    ...groupCommitLimits.maxWrites,
    settableTo: 10_000,
    meaning: 'maximum concurrent commits to PostgreSQL or MySQL',
  },
  /**
   * 10: more than enough for a server that syncs commits together, few enough for nine instances on PostgreSQL's default
   * of 100 connections, of which three are reserved.
   */
  poolSize: {
    ...positive,
    default: 10,
    settableTo: 10_000,
    meaning: 'maximum connections to PostgreSQL or MySQL',
  },
  /**
   * For a new one as for one that others are using. 1.5 s: many times what connecting takes, and it leaves time to store the
   * plant within the timeout of 2 s.
   */
  connectWithinMs: {
    ...positive,
    default: 1_500,
    settableTo: 600_000,
    meaning: 'connection timeout in milliseconds',
  },
  /**
   * How long a statement may run before its connection counts as lost. 30 s: a connection whose statement is late is kept,
   * since its session on the server would stay in any case, and a new one would add another. A server that has not responded
   * for 30 s counts as gone.
   */
  dropAfterMs: { ...positive, default: 30_000 },
  /**
   * 30 s: many times what migrating takes today, and half of what deploy/kubernetes allows a start. An instance that gives
   * up is started again and waits again, so a migration that takes longer is not disturbed.
   */
  migrationLockTimeoutMs: {
    ...positive,
    default: 30_000,
    settableTo: 86_400_000,
    meaning:
      'how long a migration of PostgreSQL or MySQL waits for another session that holds the migration lock, in milliseconds; then it fails and names that session',
  },
} as const satisfies Readonly<Record<string, Limit & { settableTo?: number; meaning?: string }>>;

/** Where a database server keeps plants, and the limits within which it does. Times are whole milliseconds. */
export interface ServerOptions extends GivenLimits<typeof serverLimits>, Callbacks {
  /** The URL of the database, in the grammar of its engine. */
  readonly connectionString: string;
}

/** The options with every default filled in. */
export interface CompleteServerOptions extends LimitsOf<typeof serverLimits>, Required<Callbacks> {
  readonly connectionString: string;
}

/**
 * Fills in the defaults.
 * @throws {RangeError} when an option is out of its range.
 */
export function completeServerOptions(options: ServerOptions): CompleteServerOptions {
  const { connectionString } = options;
  return { ...limitsOf(serverLimits, options), ...completeCallbacks(options), connectionString };
}
