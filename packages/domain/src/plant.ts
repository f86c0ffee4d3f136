/** A plant as the store hands it out. Text is kept exactly: no trimming, no Unicode normalization. */
export interface Plant {
  /** The name of the plant; may be empty. Storable text, see {@link isStorableText}. */
  readonly name: string;
  /** Specifies the type of the plant. Absent and empty are different. Storable text where present. */
  readonly tag?: string;
}

/** A plant as its creator hands it in: the creator chooses the id and keeps it. */
export interface NewPlant extends Plant {
  /** Identification number, an int64: {@link INT64_MIN} to {@link INT64_MAX}. See {@link isInt64}. */
  readonly id: bigint;
}

/** A plant with whatever is beside it, or a row of a table, in which an absent member may be null. */
export type PlantRow = Pick<Plant, 'name'> & {
  readonly [Member in Exclude<keyof Plant, 'name'>]?: Plant[Member] | null | undefined;
};

/** The plant alone, as a new object: no id, and no member for what is absent. */
export function plantOf({ name, tag }: PlantRow): Plant {
  return { name, ...(tag != null && { tag }) };
}

/** The smallest id, −2⁶³. */
export const INT64_MIN: bigint = -(2n ** 63n);

/** The largest id, 2⁶³ − 1. */
export const INT64_MAX: bigint = 2n ** 63n - 1n;

/** Whether a whole number is in the range of an int64 (OpenAPI format registry, `int64`). */
export function isInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX;
}

/**
 * Whether every store can keep the text exactly: well-formed Unicode (no surrogate without its partner, RFC 7493
 * section 2.1) without U+0000, which PostgreSQL's `text` cannot hold.
 */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

/** Whether two plants are the same: equal names, and equal tags or none on either side. Ids are not looked at. */
export function isSamePlant(a: Plant, b: Plant): boolean {
  return a.name === b.name && a.tag === b.tag;
}

/** The fields of a NewPlant that break a rule of this module, in the order id, name, tag. Empty for a valid one. */
export function invalidFields(plant: NewPlant): readonly (keyof NewPlant)[] {
  const invalid: (keyof NewPlant)[] = [];
  if (!isInt64(plant.id)) invalid.push('id');
  if (!isStorableText(plant.name)) invalid.push('name');
  if (plant.tag !== undefined && !isStorableText(plant.tag)) invalid.push('tag');
  return invalid;
}
