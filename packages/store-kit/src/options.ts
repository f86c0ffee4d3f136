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

/**
 * The capabilities of a store on a database server: it responds after the commit, any number of processes may share it, and it
 * checks the table twice a second while it writes.
 */
export const serverCapabilities: StoreCapabilities = {
  durable: true,
  survivesCrash: true,
  survivesServerCrash: true,
  shared: true,
  external: true,
  observed: true,
  timeoutMs: groupCommitLimits.timeoutMs.default,
  unsafeAddsForMs: 1_000,
};

/** The callbacks of a store. None by default. */
export interface Callbacks {
  /** Called with errors that belong to no add or check, such as a lost idle connection. */
  readonly onError?: (error: Error) => void;

  /** Called with messages for the operator about something that has not failed, such as what a migration waits for. */
  readonly onWarning?: (message: string) => void;

  /** Receives the figures for metrics. */
  readonly observer?: StoreObserver;
}

/** Fills in the callbacks that are missing. */
export function completeCallbacks({
  onError = () => {},
  onWarning = () => {},
  observer = unobserved,
}: Callbacks): Required<Callbacks> {
  return { onError, onWarning, observer };
}

/** A limit of a store. One with a setting can be set by the operator of the service. */
export interface StoreLimit extends Limit {
  readonly setting?: LimitSetting;
}

/** The setting of a limit. */
export interface LimitSetting {
  /** The environment variable. Adapters may share one. */
  readonly name: string;
  /** The largest value of the variable. Options may be larger. */
  readonly max: number;
  readonly meaning: string;
}

/** The limits of a store that writes one batch at a time. */
export const storeLimits = {
  timeoutMs: {
    ...groupCommitLimits.timeoutMs,
    setting: {
      name: 'DATABASE_TIMEOUT_MS',
      max: 600_000,
      meaning: 'maximum time to store a plant, in milliseconds, after which the client gets a 503',
    },
  },
  maxWaitMs: groupCommitLimits.maxWaitMs,
  maxWaiting: {
    ...groupCommitLimits.maxWaiting,
    setting: {
      name: 'DATABASE_MAX_QUEUE_LENGTH',
      max: 1_000_000,
      meaning: 'maximum queue length, in plants; requests beyond it get a 503 immediately',
    },
  },
  maxBatch: {
    ...groupCommitLimits.maxBatch,
    setting: { name: 'DATABASE_MAX_BATCH', max: 10_000, meaning: 'maximum plants per commit' },
  },
  maxBatchSize: groupCommitLimits.maxBatchSize,
} as const satisfies Readonly<Record<string, StoreLimit>>;

/** The limits of a store on a database server. */
export const serverLimits = {
  /** 10: enough for group commit, and nine instances fit a server with 100 connections, as is common. */
  poolSize: {
    ...positive,
    default: 10,
    setting: { name: 'DATABASE_POOL_SIZE', max: 10_000, meaning: 'maximum connections to the database server' },
  },
  /** Covers connecting and waiting for a free connection. 1.5 s leaves time to store the plant within the timeout of 2 s. */
  connectWithinMs: {
    ...positive,
    default: 1_500,
    setting: { name: 'DATABASE_CONNECT_TIMEOUT_MS', max: 600_000, meaning: 'connection timeout in milliseconds' },
  },
  ...storeLimits,
  maxWrites: {
    ...groupCommitLimits.maxWrites,
    setting: { name: 'DATABASE_MAX_WRITES', max: 10_000, meaning: 'maximum concurrent commits to the database server' },
  },
  /**
   * How long a statement may run before its connection is closed. It is longer than `timeoutMs`, because closing a connection
   * does not end its session on the server, and a new connection would add another session.
   */
  dropAfterMs: { ...positive, default: 30_000 },
  /** 30 s: half of the time that deploy/kubernetes allows a start. An instance that gives up is restarted and waits again. */
  migrationLockTimeoutMs: {
    ...positive,
    default: 30_000,
    setting: {
      name: 'MIGRATE_LOCK_TIMEOUT_MS',
      max: 86_400_000,
      meaning:
        'how long a migration waits for another session that holds the migration lock of the database server, in milliseconds; then it fails and names that session',
    },
  },
} as const satisfies Readonly<Record<string, StoreLimit>>;

/** The options of a store on a database server. Times are whole milliseconds. */
export interface ServerOptions extends GivenLimits<typeof serverLimits>, Callbacks {
  /** The URL of the database, as its adapter documents it. */
  readonly connectionString: string;
}

/** The options with every default filled in. */
export interface CompleteServerOptions extends LimitsOf<typeof serverLimits>, Required<Callbacks> {
  readonly connectionString: string;
}

/** Fills in the defaults. @throws {RangeError} if an option is out of its range. */
export function completeServerOptions(options: ServerOptions): CompleteServerOptions {
  const { connectionString } = options;
  return { ...limitsOf(serverLimits, options), ...completeCallbacks(options), connectionString };
}
