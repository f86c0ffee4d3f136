import type { PlantRow } from '@plant-store/domain';

/** The tables, as Kysely needs to know them. The files in `migrations/` create them. */
export interface Schema {
  readonly plants: PlantsTable;
}

/** A column for each text field of a plant, and its id: read and written as a bigint, so that every int64 is exact. */
type PlantsTable = PlantRow & { readonly id: bigint };
