import type { StoreCapabilities } from '@plant-store/domain';
import {
  type GivenLimits,
  groupCommitLimits,
  type Limit,
  type LimitsOf,
  parseLimits,
  positive,
} from '@plant-store/group-commit';
import { type StoreObserver, unobserved } from './store-observer.ts';

/** The capabilities of a store on a database server: it responds after the commit, and several processes may share it. */
export const serverCapabilities: StoreCapabilities = {
  durable: true,
  survivesCrash: true,
  survivesServerCrash: true,
  shared: true,
  external: true,
  timeoutMs: groupCommitLimits.timeoutMs.default,
};

/** The callbacks of a store. None by default. */
export interface Callbacks {
  /** Called with errors that belong to no add or check, such as a lost idle connection. */
  readonly onError?: (error: Error) => void;

  /** Called with messages for the operator about something that has not failed, such as a server that does not sync. */
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
  readonly setting?: {
    /** The environment variable. Adapters may share one. */
    readonly name: string;
    /** The largest value of the variable. Options may be larger. */
    readonly max: number;
    readonly meaning: string;
  };
}

/** The limits of a store that writes one batch at a time. */
export const storeLimits = {
  ...groupCommitLimits,
  timeoutMs: {
    ...groupCommitLimits.timeoutMs,
    setting: {
      name: 'DATABASE_TIMEOUT_MS',
      max: 600_000,
      meaning: 'maximum time to store a plant, in milliseconds, after which the client gets a 503',
    },
  },
  maxWaiting: {
    ...groupCommitLimits.maxWaiting,
    setting: {
      name: 'DATABASE_MAX_QUEUE_LENGTH',
      max: 1_000_000,
      meaning: 'maximum queue length, in plants; requests beyond it get a 503 immediately',
    },
  },
} as const satisfies Readonly<Record<string, StoreLimit>>;

/** The limits of a store on a database server. */
export const serverLimits = {
  ...storeLimits,
  /** 10: enough for group commit, and nine instances fit a server with 100 connections, as is common. */
  poolSize: {
    ...positive,
    default: 10,
    setting: { name: 'DATABASE_POOL_SIZE', max: 10_000, meaning: 'maximum connections to the database server' },
  },
  /** Covers connecting and waiting for a free connection. 1.5 s leaves time to store the plant within the timeout of 2 s. */
  connectWithinMs: { ...positive, default: 1_500 },
  /** 30 s: half of the time that deploy/kubernetes allows a start. An instance that gives up is restarted and waits again. */
  migrationLockTimeoutMs: { ...positive, default: 30_000 },
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
  return { ...parseLimits(serverLimits, options), ...completeCallbacks(options), connectionString };
}
