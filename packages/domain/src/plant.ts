/** A plant as the store returns it. Text is stored exactly: no trimming, no Unicode normalization. */
export interface Plant {
  /** The name of the plant; may be empty. Storable text, see {@link isStorableText}. */
  readonly name: string;
  /** Specifies the type of the plant. Absent and empty are different. Storable text where present. */
  readonly tag?: string;
}

/** A plant to create. The client chooses its id. */
export interface NewPlant extends Plant {
  /** Identification number, an int64: {@link INT64_MIN} to {@link INT64_MAX}. See {@link isInt64}. */
  readonly id: bigint;
}

/**
 * The text fields of a plant, declared once. Copies, equality, validation, tables and the contracts' sample plants are derived from
 * it. The compiler requires an entry for each field of {@link Plant}.
 */
const presence: { readonly [Field in keyof Plant]-?: undefined extends Plant[Field] ? 'optional' : 'required' } = {
  name: 'required',
  tag: 'optional',
};

/** The names of a plant's text fields, in the order in which records and tables have them. */
export const textFields: readonly (keyof Plant)[] = Object.keys(presence) as (keyof Plant)[];

/** The names of the optional text fields, in the order of {@link textFields}. */
export const optionalTextFields: readonly (keyof Plant)[] = textFields.filter(
  (field) => presence[field] === 'optional',
);

/** The fields of a plant in a larger object, such as a row of a table, where an absent field may be null. */
export type NullablePlant = {
  readonly [Field in keyof Plant]: undefined extends Plant[Field] ? Plant[Field] | null | undefined : Plant[Field];
};

/** Copies the fields of a plant into a new object, without the id and without properties for absent fields. */
export function pickPlant(row: NullablePlant): Plant {
  const plant: Partial<Record<keyof Plant, string>> = {};
  for (const field of textFields) {
    const text = row[field];
    if (text != null) plant[field] = text;
  }
  return plant as Plant;
}

/** The minimum id, −2⁶³. */
export const INT64_MIN: bigint = -(2n ** 63n);

/** The maximum id, 2⁶³ − 1. */
export const INT64_MAX: bigint = 2n ** 63n - 1n;

/** Whether an integer is in the range of an int64 (OpenAPI format registry, `int64`). */
export function isInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX;
}

/**
 * Whether the stores of this project keep the text exactly: well-formed Unicode (no lone surrogates, RFC 7493 section 2.1) without
 * U+0000, which PostgreSQL's `text` cannot store.
 */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

/** Whether each text field is equal in both plants, or absent from both. Ids are not compared. */
export function isSamePlant(a: Plant, b: Plant): boolean {
  return textFields.every((field) => a[field] === b[field]);
}

const valid: unique symbol = Symbol('valid');

/** A NewPlant that {@link parseNewPlant} has made, so it needs no other check. Parse a copy that a spread changes again. */
export type ValidNewPlant = NewPlant & { readonly [valid]: true };

/** What is wrong with a field of a record, such as `is missing`; without a field, with the record. */
export interface PlantFault {
  readonly field?: keyof NewPlant;
  readonly message: string;
}

/**
 * Parses a record whose id is a bigint into a new object. Unknown members are ignored, and nothing is converted.
 *
 * @returns the plant, or what is wrong with the record, in the order of its fields.
 */
export function parseNewPlant(
  record: unknown,
): { readonly plant: ValidNewPlant } | { readonly faults: readonly PlantFault[] } {
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    return { faults: [{ message: 'must be an object with id and name' }] };
  const given = record as { readonly [Field in keyof NewPlant]?: unknown };
  const faults: PlantFault[] = [];
  if (typeof given.id !== 'bigint' || !isInt64(given.id)) faults.push(describeFault('id', given.id));
  for (const field of textFields) {
    const text = given[field];
    if (text === undefined && presence[field] === 'optional') continue;
    if (typeof text !== 'string' || !isStorableText(text)) faults.push(describeFault(field, text));
  }
  if (faults.length > 0) return { faults };
  return { plant: { id: given.id, ...pickPlant(given as NewPlant) } as ValidNewPlant };
}

function describeFault(field: keyof NewPlant, value: unknown): PlantFault {
  if (value === undefined) return { field, message: 'is missing' };
  if (field === 'id') return { field, message: `must be an integer from ${INT64_MIN} to ${INT64_MAX}` };
  const orAbsent = presence[field] === 'optional' ? ', or absent' : '';
  return { field, message: `must be a string of well-formed Unicode without U+0000${orAbsent}` };
}
