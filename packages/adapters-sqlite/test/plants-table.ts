import { optionalTextFields } from '@plant-store/domain';

/** A table of plants as SQL, with these columns and with each optional text that they do not name. */
export function plantsTable(columns: string): string {
  const others = optionalTextFields.filter((field) => !new RegExp(`\\b${field}\\b`).test(columns));
  return `TABLE plants (${[...others.map((field) => `${field} TEXT`), columns]})`;
}
