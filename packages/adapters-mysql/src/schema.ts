import type { PlantRow } from '@plant-store/domain';

/** The tables, as Kysely needs to know them. The files in `migrations/` create them. */
export interface Schema {
  /** A column for each text field of a plant, and its id: read as text, so that every int64 is exact. */
  readonly plants: PlantRow & { readonly id: string };
}
