import { UsageError } from '../errors.ts';

/** The format of a file: `ndjson`, one JSON text per line, or `csv`, RFC 4180 with a header row. */
export type Format = 'ndjson' | 'csv';

/**
 * Infers the format of a file from its name.
 * @throws {UsageError} if the name has no known extension, as `-` has none.
 */
export function formatOf(file: string): Format {
  if (/\.(?:ndjson|jsonl)$/i.test(file)) return 'ndjson';
  if (/\.csv$/i.test(file)) return 'csv';
  throw new UsageError(`cannot infer the format of ${file} from its name: pass --format ndjson or --format csv`);
}
