import { extname } from 'node:path';
import { UsageError } from '../errors.ts';

/** The format of a file: `ndjson`, one JSON text per line, or `csv`, RFC 4180 with a header row. */
export type Format = (typeof formats)[number];

export const formats = ['ndjson', 'csv'] as const;

/**
 * The format of a file by its name.
 * @throws {UsageError} if the name has no known extension, as `-` has none.
 */
export function formatOf(file: string): Format {
  const format = byExtension[extname(file).toLowerCase()];
  if (format) return format;
  throw new UsageError(`cannot infer the format of ${file} from its name: pass --format ndjson or --format csv`);
}

const byExtension: Readonly<Record<string, Format>> = { '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.csv': 'csv' };
