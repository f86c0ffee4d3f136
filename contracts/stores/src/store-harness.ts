import type { NewPlant, PlantExport, PlantStore, StoreCapabilities } from '@plant-store/domain';
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
 * An empty database, schema or file, and what a clause can do to it. Without an optional member, the clauses that need it are not
 * checked.
 */
export interface PreparedStore {
  /** Opens a store on the database. Every call opens another store on the same data. */
  open(): Promise<PlantStore>;

  /**
   * Frees all resources and deletes the data. A store is still open only if its `close` failed or timed out, or if a signal
   * ended the run. Such a store may be closed or cut off.
   */
  dispose(): Promise<void>;

  /**
   * For PR-16, PR-20 and PR-26: makes the database refuse a valid plant from now on, for example by a trigger on the table. The plant
   * may be stored already. Called at most once, while no store is open, so an engine with an exclusive lock can be opened here.
   */
  refuse?(plant: NewPlant): Promise<unknown>;

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
   * For PR-20 and PR-23: the faults of a database that the store looks for when it is opened and in `check`: commits that are not
   * durable, such as those of a table that a crash empties, and a table that cannot hold every plant, such as one with a further
   * column that is NOT NULL. Each is planted while a store is open.
   */
  readonly faults?: Readonly<Record<string, () => Promise<EndFault>>>;

  /** For PE-1, PE-3, PE-6, PR-11 and PR-18: returns the export of the database. */
  export?(): PlantExport;

  /** For every clause with an outage: makes the database unable to respond. */
  startOutage?(): Promise<EndFault>;
}
