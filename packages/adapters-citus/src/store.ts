import type { PlantStore } from '@plant-store/domain';
import { type CitusOptions, completeOptions } from './options.ts';
import { storeByNode } from './store-by-node.ts';

/**
 * Opens a store that keeps plants in a Citus cluster, through its coordinator; any number of processes may share it. Each
 * node has batches, limits, a circuit breaker and connections of its own, so that one that hangs holds up its plants alone.
 * It looks once a second how the table is distributed. While it is not, or while the database has no Citus yet, plants are
 * stored as on PostgreSQL. Otherwise it is as `openPostgres`.
 *
 * @throws {RangeError} when an option is out of its range.
 * @throws {Error} when the connection string cannot be used, with what is wrong with it.
 */
export async function openCitus(options: CitusOptions): Promise<PlantStore> {
  return storeByNode(completeOptions(options));
}
