import type { NewPlant, PlantExport, PlantStore, StoreCapabilities } from '@plant-store/domain';
import type { StoreObserver } from '@plant-store/store-kit';
import type { KillableStore } from './crash/open-in-process.ts';

/** What the author of a storage adapter supplies so that the contract can be run against it. */
export interface StoreHarness {
  readonly capabilities: StoreCapabilities;
  /** Where the scratch databases are, for messages: «a scratch directory beside the given file». */
  readonly scratchLocation?: string;
  /** Prepares an empty database for one clause. It is independent of all others. */
  prepare(): Promise<PreparedStore>;
}

/** Ends a fault, and resolves once the database works again. */
export type EndFault = () => Promise<void>;

/**
 * An empty database, schema or file, and what a clause can do to it. Without an optional function, the clauses that need it are
 * not checked.
 */
export interface PreparedStore {
  /**
   * Opens a store on the database. Every call opens another store on the same data.
   * @param observer gets the figures of the store, with the capability `observed`.
   */
  open(observer?: StoreObserver): Promise<PlantStore>;

  /**
   * Frees all resources and deletes the data. A store is still open only if its `close` failed or timed out, or if a signal
   * ended the run. Such a store may be closed or cut off.
   */
  dispose(): Promise<void>;

  /**
   * For PR-16: makes the database refuse a valid plant, for example by a constraint on the table, and resolves with that plant.
   * Called once, before the first {@link PreparedStore.open}. An engine with an exclusive lock can be opened here, and must be
   * closed again.
   */
  refusedPlant?(): Promise<NewPlant>;

  /** For PR-11: opens a store in a process of its own, which can be killed. */
  openInProcess?(): Promise<KillableStore>;

  /**
   * For PR-18: kills the server with SIGKILL while a store is open.
   * @returns a function that starts the server on the same data, and resolves once it accepts connections.
   */
  killServer?(): Promise<EndFault>;

  /**
   * For PR-22: keeps the server from making commits durable while it accepts connections and serves reads, for example by
   * commits that wait for a missing standby.
   */
  failCommits?(): Promise<EndFault>;

  /**
   * For PR-23: changes the database so that it would lose or change plants, for example by another type of a column, or by a
   * table that a crash empties. Called twice, while stores are open.
   */
  makeUnsafe?(): Promise<EndFault>;

  /** For PR-24: changes the database so that it refuses every plant, for example by a further column that is NOT NULL. */
  refuseAll?(): Promise<EndFault>;

  /** For PR-25: opens a store with a setting that waiting does not fix, for example a wrong password or a missing database. */
  openMisconfigured?(): Promise<PlantStore>;

  /** For PE-1 to PE-6: returns the export of the database. */
  export?(): PlantExport;

  /** For every clause with an outage: makes the database unable to respond. */
  startOutage?(): Promise<EndFault>;
}
