import type { NewPlant, PlantExport, PlantStore, StoreCapabilities } from '@plant-store/domain';
import type { StoreObserver } from '@plant-store/store-kit';

/** What the author of a storage adapter supplies so that the contract can be run against it. */
export interface StoreHarness {
  readonly capabilities: StoreCapabilities;
  /** Where the places are, for messages: «a scratch directory beside the given file». */
  readonly scratchPlace?: string;
  /** Prepares an empty place for plants. Called once per clause; each place is independent of all others. */
  prepare(): Promise<PreparedStore>;
}

/** An empty place for plants, such as a database, and what a test can do to it. */
export interface PreparedStore {
  /**
   * Opens a store on the place. Called again, it opens another one on the same data.
   * @param observer told what the store does, with the capability `observed`.
   */
  open(observer?: StoreObserver): Promise<PlantStore>;

  /**
   * Frees everything, data included. Clauses have called `close` on their stores by then; a store is still open if that
   * failed or timed out, or if a signal ended the run, and may be closed or cut off.
   */
  dispose(): Promise<void>;

  /**
   * Sets the place up to reject a valid plant, for example by a constraint on the table, and resolves with that plant.
   * Called once, after {@link StoreHarness.prepare} and before the first {@link PreparedStore.open}: an engine with an
   * exclusive lock can be opened here, and has to be closed again. Without it, as for a store that rejects nothing, PR-16
   * is not checked.
   */
  refusedPlant?(): Promise<NewPlant>;

  /**
   * For `survivesCrash`, without it PR-11 is not checked. Called while no store is open on the place. Starts a process that
   * opens a store on the place and adds the plants one after the other, each by two callers at once, as when a client
   * retries; kills it with SIGKILL in the middle; and resolves with the plants that were acknowledged to either caller, with
   * whatever result, before it died (at least one).
   */
  addUntilKilled?(plants: readonly NewPlant[]): Promise<readonly NewPlant[]>;

  /**
   * Kills the server behind the place with SIGKILL while the store is open; resolves with a function that starts it again
   * on the same data and resolves when it accepts connections. Without it, as where the server is shared with others,
   * PR-18 is not checked.
   */
  killServer?(): Promise<() => Promise<void>>;

  /**
   * Keeps the server behind the place from making commits durable, though it accepts connections and answers reads: by a
   * standby that commits wait for and that does not exist, say. Resolves with a function that ends that. Without it, as
   * where the server is shared with others, PR-22 is not checked.
   */
  failCommits?(): Promise<() => Promise<void>>;

  /**
   * Makes the place one that would lose plants or change them, while stores are open on it: by another type of a column, or a
   * table that a crash empties, say. Resolves with a function that undoes that. Called twice. Without it PR-23 is not checked.
   */
  spoil?(): Promise<() => Promise<void>>;

  /** The same so that every plant would be refused: by a further column that is NOT NULL, say. Without it PR-24 is not checked. */
  refuseAll?(): Promise<() => Promise<void>>;

  /**
   * Opens a store with a setting that waiting does not fix, such as a wrong password or a database that does not exist. Without
   * it PR-25 is not checked.
   */
  openMisconfigured?(): Promise<PlantStore>;

  /** The export of what was added to the stores that were opened on the place. Without it PE-1 to PE-6 are not checked. */
  export?(): PlantExport;

  /**
   * For `external`, without it no clause with an outage is checked. Makes the outside unable to answer; resolves with a
   * function that ends the outage.
   */
  startOutage?(): Promise<() => Promise<void>>;
}
