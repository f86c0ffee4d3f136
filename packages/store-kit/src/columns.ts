import { optionalTextFields, textFields } from '@plant-store/domain';

/** The columns of the table `plants`, in the order of its migrations: the id, and a text for each field of a plant. */
export const plantColumns: readonly string[] = ['id', ...textFields];

/** The columns that are null where a plant lacks the field. */
export const nullableColumns: readonly string[] = optionalTextFields;

/** The type of each column. @param id the type of the id. @param text the type of each text. */
export function columnTypes(id: string, text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(plantColumns.map((name) => [name, name === 'id' ? id : text]));
}
