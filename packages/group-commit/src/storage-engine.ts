import type { AddResult, NewPlant } from '@plant-store/domain';

/**
 * The outcome of one plant of a batch: stored, or what has the id; the error with which the store refuses this very
 * plant; or undefined where it has to wait for something that does not concern the others of the batch.
 */
export type InsertResult = AddResult | Error | undefined;

/**
 * What a storage adapter has to implement; {@link groupCommitStore} makes a PlantStore of it. Nothing here queues,
 * retries or counts. Deadlines are times of `performance.now()`.
 */
export interface StorageEngine {
  /**
   * Stores plants, whose ids all differ, with one commit. Up to `maxWrites` calls are in flight at once, beside those
   * whose adds have all timed out: if checking an id and writing it are two operations of the engine, this method has to
   * serialize batches itself.
   *
   * @returns the outcome of each, in the order of the plants, once it is as durable as the store promises.
   * @throws {StoreUnavailable} when the store cannot answer; what was stored is then unknown.
   * @throws {Error} anything else when the store refuses one of the plants; then none of them was stored. The batch is
   *   written again in halves, so that only that plant's add fails.
   */
  insertBatch(plants: readonly NewPlant[], deadline: number): Promise<readonly InsertResult[]>;

  /**
   * Tries to settle plants that {@link insertBatch} left undefined, each as soon as possible, while other batches are
   * written. It waits for nothing that another session has locked: what it leaves is tried again, until the deadline.
   * Omit it if insertBatch leaves none.
   *
   * @throws {StoreUnavailable} when the store cannot answer.
   */
  resolveConflicts?(
    plants: readonly NewPlant[],
    deadline: number,
    settle: (id: bigint, result: AddResult | Error) => void,
  ): Promise<void>;

  /** Where an operator sees the sessions that lock rows; for the message about a plant that was never settled. */
  readonly sessionsView?: string;

  /**
   * Resolves when the engine could store a plant now, without storing one. It need not watch the time.
   *
   * @throws {StoreUnavailable} when it could not. After an {@link UnsafeStore} adds are refused until it resolves, if there
   * is a circuit breaker.
   */
  probe(): Promise<void>;

  /** Frees what the engine holds. Every add and check has been answered by then; calls that timed out may still run. */
  close(): Promise<void>;

  /**
   * Whether a circuit breaker refuses adds at once while the engine cannot answer. It does by default. `false` is for an
   * engine that fails without delay, and that waits only for what is usually over soon, such as a lock: there, adds
   * are better tried until their deadlines.
   */
  readonly hasCircuitBreaker?: boolean;

  /** Whether an error of the methods above is worth a retry at once. Never by default. */
  isTransient?(error: unknown): boolean;
}
