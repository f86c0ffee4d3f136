import { type NewPlant, type Plant, plantOf, textFields } from '@plant-store/domain';
import type { Kysely } from 'kysely';

/** The tables that Kysely's queries use. */
export interface Database {
  readonly plants: PlantRow;
}

/** A row of the table `plants`. Drivers read an int64 as a bigint. */
export type PlantRow = { readonly id: bigint } & {
  readonly [Field in keyof Plant]-?: undefined extends Plant[Field] ? string | null : string;
};

/** Converts a plant to its row. */
export function rowOf(plant: NewPlant): PlantRow {
  const row: Record<string, unknown> = { id: plant.id };
  for (const field of textFields) row[field] = plant[field] ?? null;
  return row as PlantRow;
}

/** Converts a row to its plant. */
export function plantIn(row: PlantRow): NewPlant {
  return { id: row.id, ...plantOf(row) };
}

/** Finds the smallest and the largest id. Empty if there are no plants. */
export async function firstAndLast(db: Kysely<Database>): Promise<readonly bigint[]> {
  const ends = db.selectFrom('plants').select(({ fn }) => [fn.min('id').as('first'), fn.max('id').as('last')]);
  const { first, last } = await ends.executeTakeFirstOrThrow();
  return first === null ? [] : [first, last];
}
