import type { AddResult, NewPlant } from '@plant-store/domain';

/**
 * The outcome of one plant of a batch: stored, or what has the id; the error with which the store refuses this very
 * plant; or undefined where it has to wait for something that does not concern the others of the batch.
 */
export type InsertResult = AddResult | Error | undefined;

/**
 * What a storage adapter knows of its engine, and all that it has to bring: {@link groupCommitStore} makes a PlantStore of
 * it. Nothing here waits for a turn, retries or counts. Deadlines are times of `performance.now()`.
 */
export interface StorageEngine {
  /**
   * Stores plants, whose ids all differ, with one commit. It may be called again while an earlier call is in flight, as
   * often as `maxWrites` says and beside those that nobody waits for any more: where looking and writing are two
   * operations of the engine, it has to let one batch after the other in by itself.
   *
   * @returns the outcome of each, in the order of the plants, once it is as durable as the store promises.
   * @throws {StoreUnavailable} when the store cannot answer; what was stored is then unknown.
   * @throws {Error} anything else when the store refuses a plant for its own sake; then none of them was stored. The batch
   *   is written again in halves, so that only that plant's add fails.
   */
  insertBatch(plants: readonly NewPlant[], deadline: number): Promise<readonly InsertResult[]>;

  /**
   * Settles the plants that {@link insertBatch} left undefined, each as soon as it can be, while other batches are
   * written. That it takes long is no outage. Left out where insertBatch leaves none.
   *
   * @throws {StoreUnavailable} when plants cannot be settled until the deadline, or the store cannot answer.
   */
  resolveConflicts?(
    plants: readonly NewPlant[],
    deadline: number,
    settle: (id: bigint, result: AddResult | Error) => void,
  ): Promise<void>;

  /**
   * Resolves when the store could store a plant now, without storing one. It need not watch the time.
   *
   * @throws {StoreUnavailable} while the store cannot.
   */
  probe(): Promise<void>;

  /** Frees what the engine holds. Every add and check has been answered by then; what is late may still run. */
  close(): Promise<void>;

  /** Whether an error of the above passes by itself in a moment, so that the same is worth doing again. Never by default. */
  isTransient?(error: unknown): boolean;
}
