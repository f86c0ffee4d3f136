import type { Ports } from './use-cases.ts';

/**
 * An open store: its ports, each a member, with their lifecycle.
 *
 * - **PR-14** `check` MUST resolve while the store can process an add.
 * - **PR-17** [`external`] `check` MUST throw {@link StoreUnavailable} within {@link StoreCapabilities.timeoutMs} while
 *   the store cannot respond, and MUST resolve again once it can.
 * - **PR-19** [`external`] Opening while the store cannot respond MUST, within {@link StoreCapabilities.timeoutMs}, resolve
 *   with a store that recovers by itself, or throw {@link StoreUnavailable}.
 * - **PR-25** [`durable`] Opening with a setting that waiting cannot fix MUST throw {@link StoreMisconfigured} within
 *   {@link StoreCapabilities.timeoutMs}.
 * - **PR-22** [`survivesServerCrash`] `check` MUST throw {@link StoreUnavailable} within
 *   {@link StoreCapabilities.timeoutMs} while the server behind the store makes no commit durable, and resolve once it does.
 * - **PR-15** `close` MUST let the adds in flight finish and MUST be safe to call again; every add and check after close
 *   was called MUST throw {@link StoreUnavailable}.
 */
export interface PlantStore extends Ports {
  /** Readiness probe: resolves if the store can respond, throws {@link StoreUnavailable} if it cannot. */
  check(): Promise<void>;
  /** Lets adds in flight finish and frees the store's resources. Safe to call more than once. */
  close(): Promise<void>;
}

/** The guarantees of a storage adapter beyond the clauses that apply to every store. */
export interface StoreCapabilities {
  /** A stored plant is there after the store is closed and opened again. */
  readonly durable: boolean;
  /** A stored plant is there after the process was killed. */
  readonly survivesCrash: boolean;
  /** A stored plant is there after the server was killed and started again; false for a store without a server. */
  readonly survivesServerCrash: boolean;
  /** Several stores, in one process or many, may be open on the same data at the same time. */
  readonly shared: boolean;
  /** The store depends on something outside the process that can fail to respond. */
  readonly external: boolean;
  /** The store reports events to a `StoreObserver` of `@plant-store/store-kit` (PR-21). */
  readonly observed: boolean;
  /** The maximum time in milliseconds until an add or a check settles, with default settings. */
  readonly timeoutMs: number;
  /**
   * How long adds may be acknowledged after the database has begun to lose or change plants, in milliseconds (PR-23). 0 if each
   * add checks the database. Without it, adds may be acknowledged until the next `check`.
   */
  readonly unsafeAddsForMs?: number;
}
