import { HttpError } from '@plant-store/adapters-http';
import type { NewPlant } from '@plant-store/domain';

/** A line of a file: the plant on it, or why there is none. */
export type Line = PlantLine | BadLine;

export interface PlantLine {
  /** From 1 upwards; where a record spans several lines, its last one. */
  readonly line: number;
  /** How long it is. */
  readonly bytes: number;
  /** How many bytes of the file there are up to its end. */
  readonly end: number;
  readonly plant: NewPlant;
}

export interface BadLine {
  readonly line: number;
  readonly end: number;
  readonly reason: string;
}

/** The file cannot be read beyond a line: what is behind it may be anything. */
export class MalformedFile extends Error {
  override readonly name = 'MalformedFile';
}

/** Reads a line with the rules of the service. */
export function readLine({ line, bytes, end }: Omit<PlantLine, 'plant'>, read: () => NewPlant): Line {
  try {
    return { line, bytes, end, plant: read() };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    // The rules speak of the body of a request. Here it is a line.
    return { line, end, reason: error.message.replace(/^the body\b/, 'the line') };
  }
}

/** Why a line that is too long is refused. */
export function tooLong(maxBytes: number): string {
  return `longer than the ${maxBytes} bytes of BODY_LIMIT; raise it if the plant is meant to be so large`;
}
