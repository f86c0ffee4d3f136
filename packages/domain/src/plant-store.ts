import type { Ports } from './use-cases.ts';

/**
 * An open store: its ports, each a member, with their lifecycle. A store looks at its database when it is opened, and once a second
 * while plants arrive.
 *
 * - **PR-14** `check` MUST resolve while the store can process an add.
 * - **PR-17** [`external`] While the store cannot respond and plants arrive, `check` MUST throw {@link StoreUnavailable} within a
 *   second and {@link StoreCapabilities.timeoutMs}. It MUST resolve again once the store can respond.
 * - **PR-22** [`survivesServerCrash`] PR-17 MUST hold while the server behind the store makes no commit durable.
 * - **PR-23** [`durable`] PR-17 MUST hold while the database is unfit, as in the table of faults of the adapter's harness (A1, A2).
 *   Opening MUST then throw {@link StoreMisconfigured}. After `check` has thrown, adds MUST throw {@link StoreUnavailable} and store
 *   nothing until `check` resolves.
 * - **PR-19** [`external`] Opening while the store cannot respond MUST, within {@link StoreCapabilities.timeoutMs}, resolve
 *   with a store that recovers by itself, or throw {@link StoreUnavailable}.
 * - **PR-15** `close` MUST let the adds in flight finish and MUST be safe to call again. Adds and checks after close was called MUST
 *   throw {@link StoreUnavailable}.
 */
export interface PlantStore extends Ports {
  /** Resolves if the store could respond at its latest look, and throws {@link StoreUnavailable} if it could not. */
  check(): Promise<void>;
  /** Lets adds in flight finish and frees the store's resources. Safe to call more than once. */
  close(): Promise<void>;
}

/** What a storage adapter promises beyond the clauses that apply to all stores. */
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
  /** The maximum time in milliseconds until an add or a check settles, with default settings. */
  readonly timeoutMs: number;
}
