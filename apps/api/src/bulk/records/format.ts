import { extname } from 'node:path';
import { WrongUsage } from '../../usage-error.ts';

/** How plants are written in a file: `ndjson`, a JSON text a line, or `csv`, RFC 4180 with a header row. */
export type Format = (typeof formats)[number];

export const formats = ['ndjson', 'csv'] as const;

/**
 * The format of a file by its name; NDJSON on a pipe.
 * @throws {WrongUsage} when the name does not tell.
 */
export function formatOf(file: string): Format {
  if (file === '-') return 'ndjson';
  const format = byExtension[extname(file).toLowerCase()];
  if (!format) throw new WrongUsage(`${file}: its name does not tell its format: give --format ndjson or --format csv`);
  return format;
}

const byExtension: Readonly<Record<string, Format>> = { '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.csv': 'csv' };
