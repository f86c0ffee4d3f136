import {
  INT64_MAX,
  INT64_MIN,
  isInt64,
  isStorableText,
  type NewPlant,
  type NullablePlant,
  optionalTextFields,
  plantOf,
  textFields,
} from '@plant-store/domain';

/** The plant of a record, or the reason why the record is invalid. */
export type ParsedRecord = { readonly plant: NewPlant } | { readonly reason: string };

/** The record of a line, with its line number; for a record of several lines that of the last one. */
export type Line = { readonly line: number } & ParsedRecord;

/** A rejected line. */
export type Reject = Exclude<Line, { readonly plant: NewPlant }>;

/** Validates a record whose id is a bigint. Unknown members are ignored. */
export function readRecord(record: unknown): ParsedRecord {
  if (typeof record !== 'object' || record === null) return { reason: 'the line must be a JSON object' };
  const { id, ...texts } = record as Record<string, unknown>;
  const isId = typeof id === 'bigint' && isInt64(id);
  const faults = textFields.flatMap((field) => {
    const text = texts[field];
    if (text === undefined) return optionalTextFields.includes(field) ? [] : [`${field} is missing`];
    const isText = typeof text === 'string' && isStorableText(text);
    return isText ? [] : [`${field} must be a string of well-formed Unicode without U+0000`];
  });
  if (isId && faults.length === 0) return { plant: { id, ...plantOf(texts as unknown as NullablePlant) } };
  const fault = id === undefined ? 'id is missing' : `id must be an integer from ${INT64_MIN} to ${INT64_MAX}`;
  return { reason: (isId ? faults : [fault, ...faults]).join('; ') };
}

/** 16 MiB: many times the largest plant that the service accepts by default, and small enough for memory. */
export const MAX_LINE_BYTES: number = 16 * 1024 * 1024;
