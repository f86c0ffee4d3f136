import type { NewPlant } from './plant.ts';

/**
 * The driven port through which an operator reads every plant, for a copy of them. Not every store has it.
 *
 * Each clause below is checked, under the same number, by the contract in `@plant-store/contracts-stores`. That memory
 * MUST stay flat, however many plants there are, no contract can see; an adapter reads a bounded number at a time.
 *
 * - **PE-1** Every plant that was stored before the reading began MUST come exactly once, as it was added: PR-1, PR-2 and
 *   PR-3 hold for it.
 * - **PE-2** Plants MUST come in ascending order of their ids.
 * - **PE-3** What comes MUST be what was stored at one moment, and no later one than that of the first plant.
 * - **PE-4** Adds MUST be answered while plants are read, however slowly.
 * - **PE-5** A reader that stops early MUST leave nothing behind that keeps a later one, or adds, from being answered.
 * - **PE-6** [`external`] Where the store cannot answer, a reading MUST either come to its end or throw
 *   {@link StoreUnavailable}; it MUST NOT hang.
 */
export interface PlantExport {
  /**
   * Reads every plant. The reading begins, and takes what it needs, when the first one is asked for.
   *
   * @throws {StoreUnavailable} while reading, when the store cannot answer; what came until then is incomplete.
   */
  readAll(): AsyncIterable<NewPlant>;
}
