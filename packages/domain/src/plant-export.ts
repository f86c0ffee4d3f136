import type { NewPlant } from './plant.ts';

/**
 * The driven port through which an operator reads every plant, to copy them. Not every store has it.
 *
 * The contract in `@plant-store/contracts-stores` checks each clause below under the same number. No contract can see that
 * memory stays flat, however many plants there are; an adapter MUST read a bounded number at a time.
 *
 * - **PE-1** Every plant that was stored before the reading began MUST be read exactly once, as it was added: PR-1, PR-2
 *   and PR-3 hold for it.
 * - **PE-2** Plants MUST be in ascending order of their ids.
 * - **PE-3** The plants MUST be those stored at one moment, and no later one than that of the first plant.
 * - **PE-4** Adds MUST succeed while plants are read, however slowly.
 * - **PE-5** A reader that stops early MUST NOT leave anything behind that blocks a later reader, or adds.
 * - **PE-6** [`external`] If the store cannot answer, reading MUST either read every plant or throw
 *   {@link StoreUnavailable}; it MUST NOT hang, or end as if it were complete.
 */
export interface PlantExport {
  /**
   * Reads every plant. Reading begins, and takes its resources, when the first one is requested.
   *
   * @throws {StoreUnavailable} while reading, if the store cannot answer; the plants read until then are incomplete.
   */
  readAll(): AsyncIterable<NewPlant>;
}
