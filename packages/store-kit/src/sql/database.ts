import { type NewPlant, plantOf } from '@plant-store/domain';

/** What Kysely knows of the database. The migrations make it. */
export interface Database {
  readonly plants: PlantRow;
}

/** A row of the table of plants. Drivers read an int64 as a bigint. */
export interface PlantRow {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
}

export function rowOf({ id, name, tag }: NewPlant): PlantRow {
  return { id, name, tag: tag ?? null };
}

export function plantIn(row: PlantRow): NewPlant {
  return { id: row.id, ...plantOf(row) };
}
