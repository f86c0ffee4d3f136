import { type NullablePlant, optionalTextFields, textFields } from '@plant-store/domain';

/** The columns of the table `plants`, in the order of its migrations: the id, and a text for each field of a plant. */
export const plantColumns: readonly string[] = ['id', ...textFields];

/** The texts of a plant in the order of {@link plantColumns}, null where it lacks the field. */
export function textsOf(plant: NullablePlant): readonly (string | null)[] {
  return textFields.map((field) => plant[field] ?? null);
}

/** The columns that are null where a plant lacks the field. */
export const nullableColumns: readonly string[] = optionalTextFields;

/** The type of each column. @param id the type of the id. @param text the type of each text. */
export function columnTypes(id: string, text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(plantColumns.map((name) => [name, name === 'id' ? id : text]));
}
