import type { StoreCapabilities } from '@plant-store/domain';
import { groupCommitLimits, type Limits, parseLimits } from '@plant-store/group-commit';
import { type StoreObserver, unobserved } from './store-observer.ts';

/** The capabilities of a store on a database server: it responds after the commit, and several processes may share it. */
export const serverCapabilities: StoreCapabilities = {
  durable: true,
  survivesCrash: true,
  survivesServerCrash: true,
  shared: true,
  external: true,
  timeoutMs: groupCommitLimits.timeoutMs,
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

/** A limit of a store: a whole number from 1. One with a setting can be set by the operator of the service. */
export interface StoreLimit {
  readonly default: number;
  readonly setting?: {
    /** The environment variable. Adapters may share one. */
    readonly name: string;
    /** The largest value of the variable. Options may be larger. */
    readonly max: number;
    readonly meaning: string;
  };
}

/** The limits that a store has beside those of group commit, and their defaults. */
const defaults = {
  ...groupCommitLimits,
  /** 10: enough for group commit, and nine instances fit a server with 100 connections, as is common. */
  poolSize: 10,
  /** Covers connecting and, on PostgreSQL, waiting for a free connection. 1.5 s leaves time to store the plant within the timeout of 2 s. */
  connectWithinMs: 1_500,
  /** 30 s: half of the time that deploy/kubernetes allows a start. An instance that gives up is restarted and waits again. */
  migrationLockTimeoutMs: 30_000,
};

/** The limits with a setting, of a store on a database server. */
export const serverLimits = {
  timeoutMs: {
    default: defaults.timeoutMs,
    setting: {
      name: 'DATABASE_TIMEOUT_MS',
      max: 600_000,
      meaning: 'maximum time to store a plant, in milliseconds, after which the client gets a 503',
    },
  },
  maxWaiting: {
    default: defaults.maxWaiting,
    setting: {
      name: 'DATABASE_MAX_QUEUE_LENGTH',
      max: 1_000_000,
      meaning: 'maximum queue length, in plants; requests beyond it get a 503 immediately',
    },
  },
  poolSize: {
    default: defaults.poolSize,
    setting: { name: 'DATABASE_POOL_SIZE', max: 10_000, meaning: 'maximum connections to the database server' },
  },
} as const satisfies Readonly<Record<string, StoreLimit>>;

/** The options of a store on a database server. Times are whole milliseconds. */
export interface ServerOptions extends Partial<Limits<typeof defaults>>, Callbacks {
  /** The URL of the database, as its adapter documents it. */
  readonly connectionString: string;
}

/** Fills in the defaults of options. @throws {RangeError} if one is out of its range. */
export function completeOptions<Options extends Partial<Limits<typeof defaults>> & Callbacks>(options: Options) {
  const { onError = () => {}, onWarning = () => {}, observer = unobserved } = options;
  return { ...options, ...parseLimits(defaults, options), onError, onWarning, observer };
}

/** The options of a store on a database server, with every default filled in. */
export type CompleteServerOptions = Required<ServerOptions>;
