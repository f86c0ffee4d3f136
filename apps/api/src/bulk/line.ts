import { parseNewPlant, type ValidNewPlant } from '@plant-store/domain';

/** The plant of a record, or the reason why the record is invalid. */
export type ParsedRecord = { readonly plant: ValidNewPlant } | { readonly reason: string };

/** The record of a line, with its line number; for a record of several lines that of the last one. */
export type Line = { readonly line: number } & ParsedRecord;

/** A rejected line. */
export type Reject = Exclude<Line, { readonly plant: ValidNewPlant }>;

/** Parses a record whose id is a bigint, by the rules of the domain. */
export function readRecord(record: unknown): ParsedRecord {
  const parsed = parseNewPlant(record);
  if ('plant' in parsed) return parsed;
  return { reason: parsed.faults.map(({ field = 'the line', message }) => `${field} ${message}`).join('; ') };
}

/** 16 MiB: many times the largest plant that the service accepts by default, and small enough for memory. */
export const MAX_LINE_BYTES: number = 16 * 1024 * 1024;
