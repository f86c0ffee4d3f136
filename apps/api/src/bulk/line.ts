import {
  INT64_MAX,
  INT64_MIN,
  isInt64,
  isStorableText,
  type NewPlant,
  optionalTextFields,
  type PlantRow,
  plantOf,
  textFields,
} from '@plant-store/domain';

/** A plant, or the reason why there is none. */
export type Read = { readonly plant: NewPlant } | { readonly reason: string };

/** What was read of a line, with its number. A record of several lines has the number of the last one. */
export type Line = { readonly line: number } & Read;

/** A rejected line. */
export type Reject = Exclude<Line, { readonly plant: NewPlant }>;

/** Reads a record in which an exact id is a bigint. Members that a plant does not have are ignored. */
export function readRecord(record: unknown): Read {
  if (typeof record !== 'object' || record === null) return { reason: 'the line must be a JSON object' };
  const { id, ...texts } = record as Record<string, unknown>;
  const isId = typeof id === 'bigint' && isInt64(id);
  const faults = textFields.flatMap((field) => {
    const text = texts[field];
    if (text === undefined) return optionalTextFields.includes(field) ? [] : [`${field} is missing`];
    const isText = typeof text === 'string' && isStorableText(text);
    return isText ? [] : [`${field} must be a string of well-formed Unicode without U+0000`];
  });
  if (isId && faults.length === 0) return { plant: { id, ...plantOf(texts as unknown as PlantRow) } };
  const fault = id === undefined ? 'id is missing' : `id must be written in digits, from ${INT64_MIN} to ${INT64_MAX}`;
  return { reason: (isId ? faults : [fault, ...faults]).join('; ') };
}

/** The id that a text in digits is, exactly. */
export function idOf(text: string): bigint | undefined {
  return /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
}

/** 16 MiB: many times the largest plant that the service accepts by default, few enough to keep in memory. */
export const MAX_LINE_BYTES: number = 16 * 1024 * 1024;
