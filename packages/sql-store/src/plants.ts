import type { AddResult, NewPlant, PlantStore } from '@plant-store/domain';
import type { BatchEngine } from '@plant-store/group-commit';
import { type Column, int64, optional, type Table, table, text } from './table.ts';
import { openTableStore, type TableStore, type TableStoreOptions } from './table-store.ts';

/** The table of plants. The compiler demands a column for every field. */
export const plants: Table<NewPlant, bigint, AddResult> = table({
  name: 'plants',
  noun: 'plant',
  key: 'id',
  columns: { id: int64, name: text, tag: optional(text) } satisfies Readonly<Record<keyof NewPlant, Column>>,
});

/** What a storage adapter has to implement; {@link openPlantStore} makes a PlantStore of it. */
export type PlantEngine = BatchEngine<NewPlant, bigint, AddResult>;

/**
 * Makes a PlantStore that writes in batches.
 *
 * @throws {RangeError} when a limit is out of its range.
 */
export function openPlantStore(engine: PlantEngine, options: TableStoreOptions): PlantStore {
  return plantStoreOf(openTableStore(plants, engine, options));
}

/** The store of the table of plants, as the port has it. */
export function plantStoreOf({ submit, check, close }: TableStore<NewPlant, bigint, AddResult>): PlantStore {
  return { plants: { add: submit }, check, close };
}
