import {
  type NewPlant,
  type NullablePlant,
  optionalTextFields,
  type Plant,
  plantOf,
  textFields,
} from '@plant-store/domain';

/** The columns of the table `plants`, in the order of its migrations: the id, and a text for each field of a plant. */
export const plantColumns: readonly string[] = ['id', ...textFields];

/** The columns that are null where a plant lacks the field. */
export const nullableColumns: readonly string[] = optionalTextFields;

/** The type of each column. @param id the type of the id. @param text the type of each text. */
export function columnTypes(id: string, text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(plantColumns.map((name) => [name, name === 'id' ? id : text]));
}

/** A row of the table `plants`. Drivers read an int64 as a bigint. */
export type PlantRow = { readonly id: bigint } & {
  readonly [Field in keyof Plant]-?: undefined extends Plant[Field] ? string | null : string;
};

/** The tables that Kysely's queries use. */
export interface Database {
  readonly plants: PlantRow;
  readonly plant_store_migration: { readonly name: string; readonly timestamp: string };
}

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

/** The texts of a plant in the order of {@link plantColumns}, null where it lacks the field. */
export function textsOf(plant: NullablePlant): readonly (string | null)[] {
  return textFields.map((field) => plant[field] ?? null);
}
