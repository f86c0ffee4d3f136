import { InvalidJson, newPlantRecord } from '@plant-store/adapters-http/records';
import type { NewPlant } from '@plant-store/domain';

/** A line of a file: its plant, or why it has none. */
export type Line = PlantLine | BadLine;

export interface PlantLine {
  /** From 1; the last line of a record that spans several. */
  readonly line: number;
  /** Its length. */
  readonly bytes: number;
  /** Offset of its end in the file, in bytes. */
  readonly end: number;
  readonly plant: NewPlant;
}

export interface BadLine {
  readonly line: number;
  readonly end: number;
  readonly reason: string;
}

/** How a file is read. */
export interface ReadOptions {
  /** Of a line. */
  readonly maxBytes: number;
  /** The first line to read. */
  readonly fromLine: number;
  /** Whether columns of CSV that a plant does not have are allowed. */
  readonly ignoreColumns: boolean;
  /** Whether texts in CSV were written with `--escape-formulas`. */
  readonly unescapeFormulas: boolean;
  /** Called with what the person who imports the file should know of it, a printable line. */
  readonly onNotice: (notice: string) => void;
}

/** The file cannot be parsed beyond a line. */
export class MalformedFile extends Error {
  override readonly name = 'MalformedFile';
}

/** Reads a line by the rules of the service. @param read gives its NewPlant record, or throws InvalidJson. */
export function readLine({ line, bytes, end }: Omit<PlantLine, 'plant'>, read: () => unknown): Line {
  try {
    const { data: plant, error } = newPlantRecord.safeParse(read());
    if (plant) return { line, bytes, end, plant };
    const faults = new Map(error?.issues.map(({ path: [field = 'the line'], message }) => [field, message]));
    return { line, end, reason: [...faults].map((fault) => fault.join(' ')).join('; ') };
  } catch (error) {
    if (error instanceof InvalidJson) return { line, end, reason: `the line is ${error.message}` };
    throw error;
  }
}

/** Why a line that is too long is rejected. */
export function tooLong(maxBytes: number): string {
  return `longer than the ${maxBytes} bytes of BODY_LIMIT; raise it if the plant is meant to be that large`;
}
