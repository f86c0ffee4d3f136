import type { NewPlant } from './plant.ts';

/**
 * The driven port that reads all plants for an export. A store may omit it.
 *
 * The contract in `@plant-store/contracts-stores` checks each clause below under the same number. It cannot check memory
 * use: an adapter MUST read a bounded number of plants at a time.
 *
 * - **PE-1** Each plant that was stored before the export started MUST be read exactly once, as it was added (PR-1, PR-2 and PR-3
 *   apply). Plants that are stored meanwhile MAY be read as well.
 * - **PE-3** Adds MUST succeed while plants are read.
 * - **PE-6** [`external`] If the store cannot respond, an export MUST either read all plants or throw
 *   {@link StoreUnavailable}; it MUST NOT hang, or end as if it were complete.
 */
export interface PlantExport {
  /**
   * Reads all plants. Resources are allocated when the first plant is requested.
   *
   * @throws {StoreUnavailable} during iteration, if the store cannot respond. The export is then incomplete.
   */
  readAll(): AsyncIterable<NewPlant>;
}
